# torture_resume.bash -- sorts that are killed and resumed, while inputs and what was kept change
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154  # sourced by torture.sh, whose variables these are

# Make some of the runs that have no fault such sorts, of an input that goes through temporary
# files, with several -T, one of which may be named twice, in any order.
draw_resume()
{
    local bytes=4 i
    resumes=0
    [ "$may_fail$npy_type" = 0 ] && [[ " ${options[*]} " != *" -m "* ]] && chance 12 || return 0
    resumes=1
    for i in "${!reference_options[@]}"; do
        [ "${reference_options[i]}" != -R ] || bytes=${reference_options[i + 1]}
    done
    one_of "${dists[@]}"
    REPLY=${alike:-$REPLY}
    "$KEYGEN" "$REPLY" $(((2000000 + RANDOM * 200) / bytes)) "${keygen_options[@]}" \
        --seed=$((RANDOM % 1000)) >in0
    one_of new in-place
    [[ ${reference_options[*]} != *--argsort* ]] || REPLY=new
    input=names output=$REPLY
    options=("${reference_options[@]}" --device=cpu --resume)
    [[ ${options[*]} == *--argsort* ]] || chance 70 || options+=(--verify)
    ln -sfn tmp/2 "$dir/link"
    for ((i = 0; i < 1 + RANDOM % 4; i++)); do
        one_of "$dir/tmp/1" "$dir/tmp/2" "$dir/link" "$dir/tmp/../tmp/1"
        options+=(-T "$REPLY")
    done
    options+=(-S "$((1 + RANDOM % 3))M")
}

# overwrite FILE MOST: some bytes of it, as long as they lie before byte MOST.
overwrite()
{
    [ "$2" -eq 0 ] || head -c $((1 + RANDOM % 50)) /dev/urandom |
        dd of="$1" bs=1 seek=$(((RANDOM << 15 | RANDOM) % $2)) conv=notrunc status=none
}

# Change an input, with its times restored; records stay whole.
change_input()
{
    local file size bytes
    one_of "${files[@]}"
    file=$REPLY
    size=$(stat -c %s "$file")
    touch -r "$file" ../times
    overwrite "$file" "$size"
    truncate -s "$size" "$file" # what was written may have reached beyond its end
    [ "$answer" != offsets ] || "$python" "$here/torture_answers.py" small "$file"
    chance 50 && touch -r ../times "$file"
    want
}

# Damage what was kept, somewhere.
damage_kept()
{
    local -a kept
    mapfile -t kept < <(find ../tmp -mindepth 2 -type f -size +0)
    [ "${#kept[@]}" -gt 0 ] || return 0
    one_of "${kept[@]}"
    overwrite "$REPLY" "$(stat -c %s "$REPLY")"
}

# Kill the sort some times at any moment; run_it then ends it.
kill_often()
{
    local i names=("${files[@]}")
    [ "$resumes" -eq 1 ] || return 0
    for ((i = RANDOM % 4; i >= 0; i--)); do
        rm -f out
        [ "$output" = new ] || { cp in0 out && names[0]=out; }
        # --foreground: timeout waits until it is dead, which takes a while where others run, too;
        # so long it has its directories.
        timeout --foreground -s KILL "0.$((RANDOM % 10))$((RANDOM % 10))" "$GSORT" \
            "${options[@]}" "${names[@]}" -o out 2>/dev/null
        chance 30 && change_input
        chance 20 && damage_kept
    done
    rm -f out .gsort-* # a named temporary of the output, where there is no O_TMPFILE
}
