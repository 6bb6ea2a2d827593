# The program is small, with code for all kinds of GPU, too.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    without_gpu "no gsort runs here"
}

# What is for debuggers does not count, of which newer compilers write more.
@test "at most 16 MB with kernels, 1.5 MB without" {
    strip -o stripped "$GSORT"
    bytes=$(stat -c %s stripped)
    if "$GSORT" --version | grep -qx 'CUDA: no'; then
        [ "$bytes" -le 1500000 ]
    else
        [ "$bytes" -le 16000000 ]
    fi
}
