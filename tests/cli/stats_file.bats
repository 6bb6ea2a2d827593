# --stats-file writes JSON about the run to a file, also if the run fails.
# SPDX-License-Identifier: MIT

load ../helper

setup()
{
    enter_directory
    require python3
    keygen uniform 100000 >in
    reference in >wanted
}

# told EXPRESSION: it is true of the object in file "run".
told()
{
    python3 -c '
import json, sys
run = json.load(open("run"))
assert eval(sys.argv[1]), run' "$1"
}

@test "of a run that ends well" {
    echo "something longer than what will be written" >run
    head -c 100000 /dev/zero >>run
    run -0 --separate-stderr gsort --stats-file=run in -o out
    [ -z "$output$stderr" ]
    assert_same wanted out
    told 'run["version"] == 1 and run["status"] == "done" and run["exit_status"] == 0'
    told 'run["inputs"] == ["in"] and run["output"] == "out" and run["error"] is None'
    told 'run["peak_memory_bytes"] > 400000 and run["mode"] == "sort"'
    told 'run["stats"]["version"] == 2 and run["stats"]["keys_in"] == 100000'
    told 'run["elapsed_ms"] >= run["stats"]["total_ms"] > 0'
    told "run['gsort'] in '$("$GSORT" --version | head -n 1)'"
    told "run['commit'] in '$("$GSORT" --version | sed -n 2p)'"
}

@test "of a run that fails: the line that says why" {
    run -2 --separate-stderr gsort --stats-file=run missing -o out
    told "'gsort: ' + run['error'] == '$stderr'"
    told 'run["status"] == "failed" and run["exit_status"] == 2 and run["stats"] is None'
    run -2 --separate-stderr gsort --stats-file=run in -o missing/out
    told 'run["output"] == "missing/out" and "missing/out: " in run["error"]'
}

@test "of a merge and of a plan" {
    gsort -m --stats-file=run wanted wanted -o out
    told 'run["mode"] == "merge" and run["stats"]["keys_out"] == 200000'
    gsort --plan --stats-file=run in >plan
    told 'run["mode"] == "plan" and run["status"] == "done" and run["stats"] is None'
}

@test "an input or the output is refused, and stays" {
    cp in kept
    run -2 --separate-stderr gsort --stats-file=in in -o out
    assert_trouble "--stats-file in: is an input"
    run -2 --separate-stderr gsort --stats-file=./in kept -o in
    assert_trouble "--stats-file ./in: is the output"
    assert_same kept in
    run -2 --separate-stderr gsort --stats-file=missing/run in -o out
    assert_trouble "--stats-file missing/run: "
    run -2 --separate-stderr gsort -c --stats-file=run in
    assert_trouble "incompatible"
    [ ! -e out ]
}
