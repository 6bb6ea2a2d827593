# On a file system with quirks, every mode sorts, or fails in one line and nothing is lost.
# SPDX-License-Identifier: MIT

load ../helper

# NAME | what is there before as out, - for nothing | options and files for the reference | command
# The file system is ./quirky, and holds the input that the command takes from there. Modes in-*
# and temp-* have their out elsewhere.
modes()
{
    cat <<'END'
new            | -       | in          | "$GSORT" in -o quirky/out
file           | few     | in          | "$GSORT" in -o quirky/out
verify         | few     | in          | "$GSORT" --verify in -o quirky/out
pipe           | few     | -r in       | cat in | "$GSORT" -r -o quirky/out
unique         | few     | -u in       | "$GSORT" -u in -o quirky/out
merge          | few     | ordered few | "$GSORT" -m ordered few -o quirky/out
fsync          | few     | in          | "$GSORT" --fsync in -o quirky/out
direct         | few     | in          | "$GSORT" --direct in -o quirky/out
direct-verify  | few     | -u in       | "$GSORT" --direct -u --verify in -o quirky/out
large          | few     | large       | "$GSORT" --bins=100 large -o quirky/out
large-pipe     | few     | large       | cat large | "$GSORT" --parallel=16 -o quirky/out
external       | few     | big         | "$GSORT" -S 1M -T . big -o quirky/out
place          | in      | in          | "$GSORT" quirky/out -o quirky/out
place-stdin    | in      | in          | "$GSORT" -o quirky/out <quirky/out
place-several  | in      | in few      | "$GSORT" few quirky/out -o quirky/out
place-merge    | ordered | ordered few | "$GSORT" -m quirky/out few -o quirky/out
place-unique   | in      | -u in       | "$GSORT" -u --verify quirky/out -o quirky/out
place-external | in      | in          | "$GSORT" -S 256K -T . quirky/out -o quirky/out
stdout         | -       | in          | "$GSORT" in >quirky/out
stdout-verify  | -       | -u in       | "$GSORT" --verify -u in >quirky/out
stdout-append  | -       | in          | "$GSORT" in >>quirky/out
temp           | few     | big         | "$GSORT" -S 1M -T quirky big -o out
temp-pipe      | few     | -u big      | cat big | "$GSORT" -u -S 1M -T quirky -o out
temp-verify    | few     | -r big      | "$GSORT" -r -S 1M --verify -T quirky big -o out
temp-merge     | few     | ordered few | cat ordered | "$GSORT" -m -S 256K -T quirky - few -o out
in-file        | few     | in          | "$GSORT" quirky/in -o out
in-stdin       | few     | in          | "$GSORT" -o out <quirky/in
in-merge       | few     | ordered few | "$GSORT" -m --verify quirky/ordered few -o out
in-external    | few     | big         | "$GSORT" -S 1M -T . quirky/big -o out
END
}

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    keygen uniform 150007 >in
    keygen gaussian 600011 >big
    keygen sorted 600001 >ordered
    keygen sorted 100003 --seed=2 >few
    keygen uniform 9M >large # more than 32 MiB
    local name from
    while IFS='|' read -r name _ from _; do
        # shellcheck disable=SC2086  # words
        reference $from >"wanted.${name// /}" || return
    done < <(modes)
}

setup()
{
    [ -z "$GSORT_DEVICE" ] || skip "the modes are those of the CPU"
    enter_directory
    ln -s "$BATS_FILE_TMPDIR"/* .
}

# judge NAME BEFORE STATUS RESULT: what did the run leave?
judge()
{
    case $3 in
    0) assert_same "wanted.$1" "$4" && [ ! -s err ] ;;
    2)
        [ "$(wc -l <err)" = 1 ] && grep -q '^gsort: ' err || return
        if [ "$2" != - ]; then
            assert_same "$2" "$4"
        else
            [[ $1 = stdout* ]] || [ ! -e "$4" ]
        fi
        ;;
    *) return 1 ;;
    esac
}

# chosen_modes QUIRKS: print the modes to run: all of them in the long tests, else every third one,
# begun anew with each test; but for quirks of names and reading none of the large ones, to which
# these are what they are to small ones.
chosen_modes()
{
    if is_expensive; then
        modes
    elif [[ $1 =~ ^(|writeback.*|direct-io.*|lossy.*|full.*)$ ]]; then
        modes | sed -n "$((BATS_TEST_NUMBER % 3 + 1))~3p"
    else
        modes | grep -v '^large' | sed -n "$((BATS_TEST_NUMBER % 3 + 1))~3p"
    fi
}

# each_mode QUIRKS NAMES=STATUS...: run the modes on a file system with these quirks. Each must end
# with the STATUS of the first NAMES, a pattern, that it matches.
each_mode()
{
    local quirks=$1 name before command want input result status left bad=0
    shift
    while IFS='|' read -r name before _ command; do
        name=${name// /} before=${before// /} status=0
        rm -rf behind out
        mkdir behind
        [[ $command =~ quirky/(in|big|ordered) ]] && input=${BASH_REMATCH[1]} || input=
        [ -z "$input" ] || cp "$input" behind
        case $name in
        temp* | in-*) result=out ;;
        *) result=behind/out ;;
        esac
        [ "$before" = - ] || cp "$before" "$result"
        # shellcheck disable=SC2086  # words
        mount_quirks $quirks
        bash -o pipefail -c "$command" 2>err || status=$?
        unmount_last || return
        for want; do
            # shellcheck disable=SC2053  # a pattern
            [[ $name != ${want%=*} ]] || break
        done
        left=$(find behind -mindepth 1 ! -name in ! -name big ! -name ordered ! -name out)
        if [ "$status" != "${want#*=}" ] || [ -n "$left" ] ||
            ! judge "$name" "$before" "$status" "$result"; then
            echo "$quirks, $name: status $status: $(cat err); left behind: $left" >&2
            bad=1
        fi
        [ -z "$input" ] || cmp -s "$input" "behind/$input" || return
    done < <(chosen_modes "$quirks")
    return "$bad"
}

@test "a quirk that there is none of is an error, not a skipped test" {
    [ -x "${QUIRKFS:-}" ] || skip "needs libfuse 3 and a build with FUSE=1"
    run -2 mount_quirks writeback size-few
    [ "$output" = "not all of these are quirks: writeback size-few" ]
}

@test "no quirks" {
    each_mode '' '*=0'
}

@test "a write-back cache" {
    each_mode writeback '*=0'
}

@test "direct I/O" {
    each_mode direct-io '*=0'
}

@test "a write-back cache, and no space: reported when the kernel writes" {
    each_mode 'writeback full=250000' 'in-*=0' '*=2'
}

@test "a write-back cache, and a write error" {
    each_mode 'writeback full=250000 io-error' 'in-*=0' '*=2'
}

@test "no space: reported when a file is closed" {
    each_mode lossy=250000 'in-*=0' '*=2'
}

@test "a write error: reported when a file is closed, behind a write-back cache" {
    each_mode 'writeback lossy=250000 io-error' 'in-*=0' '*=2'
}

@test "no space: reported when a file is closed, with direct I/O" {
    each_mode 'direct-io lossy=250000' 'in-*=0' '*=2'
}

@test "no space: reported at once" {
    each_mode full=250000 'in-*=0' '*=2'
}

@test "neither links nor modes" {
    each_mode 'no-link no-chmod' '*=0'
}

@test "no rename" {
    each_mode no-rename 'in-*=0' 'temp*=0' 'stdout*=0' '*=2'
}

@test "what is open can be neither removed nor replaced" {
    each_mode busy 'temp*=2' '*=0'
}

@test "short reads" {
    each_mode short-reads 'temp-merge=2' '*=0' # it is mapped
}

@test "files that seem to be empty" {
    each_mode size-zero '*=0'
}

@test "files that seem to be longer than they are" {
    each_mode 'size-more direct-io' 'in-*=2' 'place*=2' '*=0'
    each_mode size-more 'in-*=2' 'place*=2' '*=0'
}
