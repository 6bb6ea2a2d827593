# Long options and the words that they take may be abbreviated as long as they stay unique.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    keygen uniform 1000 >in
    reference in >wanted
}

@test "a long option may be abbreviated" {
    gsort --rev in -o out
    reference -r in >wanted
    assert_same wanted out
}

@test "the argument of each option that takes a word may be abbreviated" {
    gsort --engine=sam --device=c --stats=j --progress=n in -o out 2>stats
    assert_same wanted out
    grep '"engine": "samplesort"' stats
    run -1 --separate-stderr gsort --check=d in
    [[ $stderr == *disorder* ]]
    run -1 --separate-stderr gsort --check=si in
    [ -z "$stderr" ]
}

@test "an ambiguous or unknown abbreviation is refused" {
    run -2 --separate-stderr gsort --progress=a in -o out
    [[ $stderr = "gsort: ambiguous --progress argument 'a': it is auto, always or never; "* ]]
    run -2 --separate-stderr gsort --engine=a in -o out
    [[ $stderr = "gsort: ambiguous --engine argument 'a': it is auto, samplesort, "* ]]
    run -2 --separate-stderr gsort --device= in -o out
    [ "$stderr" = "gsort: ambiguous --device argument '': it is auto, cpu or gpu; try 'gsort -h'" ]
    run -2 --separate-stderr gsort --engine=autos in -o out
    [[ $stderr = "gsort: invalid --engine argument 'autos': "*" (did you mean auto?); "* ]]
    [ ! -e out ]
}
