# A .npy file that is replaced while gsort opens its inputs gives no mix of header and records.
# SPDX-License-Identifier: MIT

load ../npy

# replaced FILE COMMAND: run it; a.npy as in.npy is replaced by FILE as soon as it was opened.
replaced()
{
    cp a.npy in.npy
    cp "$1" in.npy.next
    run --separate-stderr env LD_PRELOAD="$FAULTS" GSORT_FAULT_SWAP=1 bash -c "$2"
}

@test "renamed over between two looks at it" {
    require_plain_build
    keygen sorted 1000 >raw
    npy "'<u4'" 1000 <raw >a.npy
    npy "'<f4'" 1000 <raw >b.npy
    # Not aligned: it cannot be mapped.
    npy_text 1 "$(dictionary "'>u4'" '(1000,)')" <raw >c.npy
    # shellcheck disable=SC2016  # bash -c expands
    for command in '"$GSORT" in.npy -o out' 'GSORT_FAULT="mmap 12 1" "$GSORT" in.npy -o out' \
        '"$GSORT" in.npy a.npy -o out' '"$GSORT" -S 1M -T . in.npy -o out' \
        '"$GSORT" -m in.npy -o out' \
        '"$GSORT" -c in.npy' '"$GSORT" --plan in.npy'; do
        for other in a b c; do
            echo "$command" "$other"
            replaced "$other.npy" "$command"
            if [ "$other" = a ]; then
                [[ $status -le 1 && $stderr != *"changed meanwhile"* ]]
            else
                [ "$status" -eq 2 ]
                assert_trouble "in.npy: its .npy header has changed meanwhile"
            fi
            rm -f out
        done
    done
}

@test "a file that is not the first: the header and the records of the same one" {
    require_plain_build
    keygen sorted 1000 >raw
    npy "'<u4'" 1000 <raw >first.npy
    npy "'<u4'" 1000 <raw >a.npy
    head -c 3600 raw | npy "'<u4'" 900 >b.npy
    # shellcheck disable=SC2016
    replaced b.npy '"$GSORT" first.npy in.npy -o out'
    [ "$status" -eq 0 ]
    tail -c +129 out | cmp <(reference raw raw) -
}

@test "a second or third file, merged, through temporary files, too: one of the two, or refused" {
    require_plain_build
    keygen sorted 1000 >raw
    npy "'<u4'" 1000 <raw >first.npy
    cp first.npy a.npy
    head -c 3600 raw | npy "'<u4'" 900 >b.npy
    npy "'<f4'" 1000 <raw >c.npy
    reference raw raw >old
    reference raw <(head -c 3600 raw) >new
    local options other
    # shellcheck disable=SC2016
    for options in '' -m '-S 1M -T .' --verify -s '-u -m'; do
        for other in b c; do
            rm -f out
            replaced "$other.npy" '"$GSORT" '"$options"' first.npy in.npy -o out'
            echo "$options $other: status $status"
            if [ "$status" -eq 0 ]; then
                [[ $options = *-u* ]] && reference -u raw >old && cp old new
                tail -c +129 out >keys
                cmp old keys || { [ "$other" = b ] && cmp new keys; }
            else
                [ "$status" -eq 2 ] && [ "${#stderr_lines[@]}" -eq 1 ] && [ ! -e out ]
            fi
        done
    done
    replaced c.npy '"$GSORT" -c in.npy && "$GSORT" --plan first.npy in.npy'
    [ "$status" -eq 2 ]
}
