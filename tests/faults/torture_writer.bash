# torture_writer.bash -- somebody overwrites the first input while it is sorted; for torture.sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034,SC2154 # the variables are torture.sh's

# Draw whether there is a writer, and start it: in turns, it writes other keys and those that were
# there. It ends when ../writing is gone, or after some seconds. writer: its process, or 0.
writer_start()
{
    local bytes
    writer=0
    [ "$output" != in-place ] && [ "$input" != pipe ] && [ -z "$npy_type" ] || return 0
    [[ ! ${reference_options[*]} =~ --(argsort|count|repeated|single) ]] || return 0
    [ "$ranks$resumes$answer" = 00 ] && chance 15 || return 0
    bytes=$(stat -c %s in0)
    cp in0 ../same
    "$KEYGEN" zipf $((bytes / 4 + 1)) --seed=$((RANDOM % 1000)) | head -c "$bytes" >../other
    : >../writing
    for ((i = 0; i < 2000; i++)); do
        [ -e ../writing ] || break
        dd if=../other of=in0 bs=64k conv=notrunc status=none
        dd if=../same of=in0 bs=64k conv=notrunc status=none
    done &
    writer=$!
    may_fail=1
}

# End the writer. What is wanted of an output that claims to be right is now that its own records
# are in order, and as many as came in.
writer_stop()
{
    [ "$writer" -ne 0 ] || return 0
    rm -f ../writing
    wait "$writer"
    if [ "$status" -eq 0 ]; then
        "$REFERENCE" "${reference_options[@]}" out >../same
        [[ " ${options[*]} " == *" -u "* ]] ||
            [ "$(stat -c %s ../wanted)" -eq "$(stat -c %s out)" ] || : >../same
        mv ../same ../wanted
    elif [ "$output" = pipe ]; then
        : >out # nobody knows which part of what this is
    fi
    rm -f ../same ../other
}
