#!/bin/sh
# list.sh -- print a Bats file with one test for each unit test program
# SPDX-License-Identifier: MIT
#
# usage: tests/unit/list.sh PROGRAM...     from make check, which writes it to build/
printf '# Each unit test passes.\n# SPDX-License-Identifier: MIT\n\nload "%s/tests/helper"\n' "$PWD"
for program; do
    name=${program##*/}
    printf '\n@test "unit: %s" {\n    unit_test %s\n}\n' "${name#test_}" "$name"
done
