# The program starts without what libraries would do for themselves first.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
}

@test "libhwy measures no clock, which takes 4 ms: the program has that function itself, for all" {
    nm -D "$GSORT" >symbols 2>/dev/null || skip "no nm here"
    grep -q hwy symbols || skip "built without Highway, or with a static one"
    grep -q ' W _ZN3hwy8platform15TimerResolutionEv' symbols
}
