# torture_answers.bash -- sums, sets, random orders, offsets: what more a run may be asked for
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154  # sourced by torture.sh, whose variables these are
#
# Where a python3 has numpy: torture_answers.py, and shuffle_reference.py, say what is wanted.

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
python=''
for name in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$name" -c 'import numpy' 2>/dev/null || python=$name
done

# has ARRAY WORD: is it an element?
has()
{
    local -n list=$1
    [[ " ${list[*]} " == *" $2 "* ]]
}

# Is the u32 in front the only key?
by_u32()
{
    [[ " ${reference_options[*]} " == *" 0:u32 "* && ! ${reference_options[*]} =~ -k.*-k ]]
}

# without PATTERN: drop such options, of gsort's and of the reference's.
without()
{
    local i
    for i in "${!options[@]}"; do
        [[ ! ${options[i]} =~ $1 ]] || unset "options[$i]"
    done
    for i in "${!reference_options[@]}"; do
        [[ ! ${reference_options[i]} =~ $1 ]] || unset "reference_options[$i]"
    done
    options=("${options[@]}") reference_options=("${reference_options[@]}")
}

# Ask some of the runs for one more answer. answer: which; width: bytes of a record.
draw_answer()
{
    local i
    answer='' width=4
    [ -n "$python" ] && [ "$ranks$npy_type" = 0 ] && chance 25 || return 0
    [[ ! ${reference_options[*]} =~ --(argsort|count|repeated|single) ]] || return 0
    for i in "${!reference_options[@]}"; do
        [ "${reference_options[i]}" != -R ] || width=${reference_options[i + 1]}
    done
    one_of shuffle fold minus common offsets
    case $REPLY in
    shuffle)
        shuffle_seed=$((RANDOM << 15 | RANDOM))
        options=("${options[@]/#-k/}")
        without '^(-r|-u|-s|-m|-k|[0-9]+:.*|zorder.*|--engine=.*|--lists=.*|--device=.*|)$'
        options+=("--shuffle=$shuffle_seed")
        ;;
    fold)
        [ "$width" -ge 16 ] && by_u32 || return 0
        options+=(--max=4:u32 --min=8:i16 --sum=12:u32be)
        ;;
    minus | common)
        [ "$width:$alike" = 4: ] || by_u32 || return 0
        unique=0
        ! has reference_options -u || unique=1
        "$KEYGEN" few $((width * 1000)) | head -c $((width * 3000)) >../more
        head -c $((width * (RANDOM % 5000))) in0 >>../more
        truncate -s $(($(stat -c %s ../more) / width * width)) ../more
        reference_all ../more >in9 # gsort's own files are these
        options+=("--$REPLY=in9")
        ;;
    offsets)
        [ "$width:$alike" = 4: ] && ! has options -m || return 0
        without '^-r$'
        "$python" "$here/torture_answers.py" small "${files[@]/#out/in0}"
        options+=(--offsets=../offsets)
        ;;
    esac
    answer=$REPLY
}

# The reference's records, those of the same keys, too.
reference_all()
{
    local kept=() option
    for option in "${reference_options[@]}"; do
        [ "$option" = -u ] || kept+=("$option")
    done
    "$REFERENCE" "${kept[@]}" "$@"
}

# What is wanted, in ../wanted, and ../wanted-offsets.
want()
{
    rm -f ../offsets
    case $answer in
    shuffle) cat "${files[@]}" |
        "$python" "$here/../sort/shuffle_reference.py" "$shuffle_seed" "$width" ;;
    fold) reference_all "${files[@]}" | "$python" "$here/torture_answers.py" fold "$width" ;;
    minus | common) reference_all "${files[@]}" |
        "$python" "$here/torture_answers.py" "$answer" "$width" in9 "$unique" ;;
    *) "$REFERENCE" "${reference_options[@]}" "${files[@]}" ;;
    esac >../wanted
    [ "$answer" != offsets ] ||
        "$python" "$here/torture_answers.py" offsets 4 <../wanted >../wanted-offsets
    [ "$(head -c 8 ../wanted | tr -d '\0')" != overflow ] || may_fail=1
}
