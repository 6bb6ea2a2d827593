# completion.bash -- bash completion for gsort
# SPDX-License-Identifier: MIT

_gsort()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} option
    local -a values=()
    COMPREPLY=()

    # bash splits --option=value into three words.
    if [[ $current == = ]]; then
        option=$previous
        current=
    elif [[ $previous == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    else
        option=$previous
        # These take an argument only after a =.
        case $option in
        --check | --dry-run | --plan | --progress | --stats) option= ;;
        esac
    fi

    case $option in
    -e | --engine) values=(auto samplesort atomicmin reduction hybrid) ;;
    --device) values=(auto cpu gpu) ;;
    --format) values=(auto raw) ;;
    -t | --type) values=(u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f16 bf16 f32 f64) ;;
    --argsort) values=(u32 u64) ;;
    --dry-run | --plan | --stats) values=(text json) ;;
    --progress) values=(auto always never) ;;
    --check) values=(diagnose-first quiet silent) ;;
    -T | --temporary-directory)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
        ;;
    --head | --tail | -R | --record | -k | --key | --skip | -S | --buffer-size) return ;;
    --device-memory | --samples | --bins | --lists | -j | --parallel | --threads) return ;;
    *)
        if [[ $current == -* ]]; then
            values=(-o -r -u -t -R -k -s -e -S -T -c -C -m -j -h -V --output= --reverse --unique
                --type= --record= --key= --skip= --stable --argsort= --engine= --samples= --bins=
                --lists= --head= --tail=
                --files0-from= --format= --device= --buffer-size= --device-memory=
                --temporary-directory= --resume --parallel= --threads= --fsync --direct
                --no-direct --stats
                --stats-file= --verify --progress --check --merge --local --apart --plan
                --dry-run --help --usage --version)
        else
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "${values[*]}" -- "$current")
    if [[ ${COMPREPLY[0]-} == *= ]]; then
        compopt -o nospace
    fi
}
complete -F _gsort gsort
