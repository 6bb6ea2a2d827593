# The program is small, with code for all kinds of GPU, too.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    without_gpu "no gsort runs here"
}

@test "at most 16 MB with kernels, 2.5 MB without" {
    bytes=$(stat -L -c %s "$GSORT")
    if "$GSORT" --version | grep -qx 'CUDA: no'; then
        [ "$bytes" -le 2500000 ]
    else
        [ "$bytes" -le 16000000 ]
    fi
}
