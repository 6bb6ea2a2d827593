"""fails.py -- what a call is to fail with, for tests of gsort.py.
SPDX-License-Identifier: MIT
"""


def fails(kind, call, *words):
    """The call raises an error of that kind, which is returned; its text has the words."""
    try:
        call()
    except kind as error:
        assert all(word in str(error) for word in words), error
        return error
    raise AssertionError("no error")
