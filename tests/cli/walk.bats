# The walk: commands that newcomers typed in their first hour, and what each is told now.
# SPDX-License-Identifier: MIT

load ../npy

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    keygen uniform 1000 >in.bin
    gsort in.bin -o sorted.bin
    head -c 1000 in.bin >part.f64
    head -c 3999 in.bin >odd.bin
    : >empty.bin
    printf 'id,price\n1,2.5\n2,3.5\n' >a.csv
    gzip -c in.bin >a.gz
    keygen uniform 10 | npy "'<u4'" 10 >a.npy
    keygen uniform 10 | npy "'<M8[ns]'" 5 >dates.npy
    keygen uniform 30 | npy "[('price', '<f8'), ('ts', '<u4')]" 10 >trades.npy
    keygen uniform 10 | npy_text 1 "$(dictionary "'<u4'" '(10, 1)')" >column.npy
    keys 7 7 >twice.bin
    keys 9 7 >down.bin
    mkdir directory
}

setup()
{
    without_gpu "messages, which are the same"
    cd "$BATS_FILE_TMPDIR" || return
}

# walk: standard input has a line for each command: its exit status, what it says, COMMAND. What it
# says are the words of its one line on standard error, with * between, or -: nothing.
walk()
{
    local status words command got said failed=0 count=0
    while IFS='|' read -r status words command; do
        count=$((count + 1))
        got=0
        bash -c "$command" >out.txt 2>err.txt </dev/null || got=$?
        said=$(<err.txt)
        words=${words# }
        words=${words% }
        # shellcheck disable=SC2053  # the words are a pattern
        if [ "$got" -ne "${status% }" ] || [[ $words = - && -n $said ]] ||
            [[ $words != - && ($said != "gsort: "*${words// /\\ }* || $said == *$'\n'*) ]]; then
            echo "$command: status $got: $said" >&2
            failed=1
        elif [[ $got -eq 2 && $said == *invalid* && $said != *"; try 'gsort -h'" ]]; then
            echo "$command: no hint: $said" >&2
            failed=1
        fi
    done
    [ "$count" -gt 5 ] && [ "$failed" -eq 0 ]
}

@test "words that are wrong get the right ones" {
    walk <<'END'
2 | it is auto, cpu or gpu | gsort --device=cuda in.bin
2 | it is auto, samplesort, atomicmin, reduction or hybrid | gsort -e radix in.bin
2 | did you mean hybrid? | gsort -e hybird in.bin
2 | did you mean samplesort? | gsort -e smaplesort in.bin
2 | it is text or json (did you mean json?) | gsort --stats=jsno in.bin
2 | it is text or json | gsort --plan=yaml in.bin
2 | it is auto, always or never | gsort --progress=yes in.bin
2 | it is diagnose-first, quiet or silent | gsort --check=loud in.bin
2 | it is u32 or u64 | gsort --argsort=i64 in.bin
2 | it is u32 or u64 | gsort --argsort in.bin
2 | it is auto or raw | gsort --format=npz in.bin
2 | 'int' (did you mean i32 or i64?): it is one of u8 u16*big-endian*or bN | gsort -t int in.bin
2 | 'float' (did you mean f32 or f64?) | gsort -t float in.bin
2 | 'u33' (did you mean u32?): it is one of u8 | gsort -t u33 in.bin
2 | 'u46' (did you mean u64?): it is one of u8 | gsort -t u46 in.bin
2 | '0:f46r' (did you mean f64r?) | gsort -R 8 -k 0:f46r in.bin
2 | it is u8, u16, u32 or u64 | gsort --count=u46 in.bin
2 | it is one of u8 | gsort -t string in.bin
2 | 'r' belongs to a key; -r reverses | gsort -t f64r in.bin
2 | it is a number from 1 to 1024 | gsort --parallel a.bin in.bin
2 | it is a number from 1 to 1024 | gsort -j in.bin
2 | '0' is not from 1 to 1024 | gsort -j 0 in.bin
2 | it is a number from 1 to 4096 | gsort --bins=x in.bin
2 | it is a size, as 512M, 4G or 50% | gsort -S in.bin
2 | it is a size, as 512M, 4G or 50% | gsort -S '' in.bin
2 | K M G T P E are powers of 1024, KB MB and so on of 1000, B bytes | gsort -S 4X in.bin
2 | is more than 100% | gsort -S 200% in.bin
2 | it is a size, as 128B, 64K or 4G | gsort --skip=-1 in.bin
2 | a record has 1 to 65536 bytes | gsort -R abc in.bin
2 | a key is OFFSET:TYPE, OFFSET in bytes from 0, as in 8:f64 | gsort -R 8 -k 1,1 in.bin
2 | -k needs -R SIZE*as in -R 16 -k 8:f64 | gsort -k 2 in.bin
2 | option requires an argument -- 'R'; try 'gsort -h' | gsort -R
END
}

@test "options of other programs get what was meant" {
    walk <<'END'
2 | did you mean --stats, --verify or --version? | gsort -v in.bin
2 | did you mean --check=quiet? | gsort -q in.bin
2 | files to read need no option | gsort -i in.bin
2 | files to read need no option | gsort --in in.bin
2 | did you mean --format=raw? | gsort --force in.bin
2 | did you mean --format=raw? | gsort -f in.bin
2 | did you mean --device=gpu? | gsort --gpu in.bin
2 | did you mean --device=cpu? | gsort --cpu in.bin
2 | did you mean --temporary-directory? | gsort --tmp=/tmp in.bin
2 | did you mean --buffer-size? | gsort --memory=4G in.bin
2 | did you mean --record? | gsort --record-size=8 in.bin
2 | did you mean --stats=json? | gsort --json in.bin
2 | did you mean --type? | gsort -n in.bin
2 | did you mean --unique? | gsort --uniqe in.bin
2 | did you mean --reverse? | gsort --Reverse in.bin
2 | did you mean --verify? | gsort --verfy in.bin
2 | unrecognized option '--sort'; try 'gsort -h' | gsort --sort in.bin
2 | --help has all options | gsort help
2 | does not exist: -o out.bin would write it | gsort in.bin out.bin
2 | write -o x.bin, or ./=x.bin for a name | gsort -o=x.bin in.bin
0 | - | gsort -h
0 | - | gsort -V
0 | - | gsort --dry-run in.bin
0 | - | gsort -j4 in.bin
0 | - | gsort --threads=2 in.bin
END
}

@test "other spellings of types, sizes and offsets are taken" {
    walk <<'END'
0 | - | gsort -t double in.bin
0 | - | gsort -t float64 in.bin
0 | - | gsort -t int32 in.bin
0 | - | gsort -t uint32_t in.bin
0 | - | gsort -t F64 in.bin
0 | - | gsort -t '>u4' in.bin
0 | - | gsort -t be32 in.bin
0 | - | gsort -t U32BE in.bin
0 | - | gsort -S 4GB in.bin
0 | - | gsort -S 1gb in.bin
0 | - | gsort -S 4GiB in.bin
0 | - | gsort -S 0.5G in.bin
0 | - | gsort -R 40B in.bin
0 | - | gsort --skip=1k in.bin
0 | - | gsort -R 8 -k 0x4:u32 in.bin
0 | - | gsort -t u64,u64 in.bin
0 | - | gsort --device=CPU in.bin
END
}

@test "what lies in wait: files that would be emptied, files of something else" {
    walk <<'END'
2 | in2.bin -o in2.bin sorts a file into itself | cp in.bin in2.bin; gsort in2.bin >in2.bin
2 | in2.bin -o in2.bin sorts a file into itself | cp in.bin in2.bin; gsort in2.bin >>in2.bin
2 | in2.bin: would be emptied | cp in.bin in2.bin; gsort -o in2.bin
2 | its name says f64, and without -t it is taken for u32: use -t f64 | gsort part.f64
2 | is not a multiple of 4 (remainder 3): -t or -R says*--skip | gsort odd.bin
2 | looks like text*--format=raw insists | gsort a.csv
2 | looks like gzip | gsort a.gz
2 | looks like gzip | cat a.gz | gsort -R 8 -o out.bin
2 | directory: Is a directory | gsort directory
2 | nosuch: cannot read: No such file | gsort nosuch
2 | -T nosuch: No such file | gsort -T nosuch in.bin
2 | -T or TMPDIR names another directory: No such | keygen uniform 1M | TMPDIR=x gsort -S 1M
2 | nosuch/x: cannot be created: No such file | gsort in.bin -o nosuch/x
2 | standard output: it is closed | gsort in.bin >&-
2 | standard output: write failed: it is closed | gsort --plan in.bin >&-
2 | -: it is closed | gsort -c <&-
2 | nosuch/x: * | gsort --plan in.bin -o nosuch/x
2 | options '-c' and '-o' are incompatible: a check sorts and writes nothing | gsort -co out in.bin
2 | options '-c' and '--stats' are incompatible | gsort -c --stats in.bin
2 | --lists is for the engines atomicmin, reduction and hybrid | gsort --lists=4 in.bin
0 | - | gsort empty.bin -o out.bin
END
}

@test "disorder says what was before, and where keys are equal" {
    walk <<'END'
1 | down.bin:1: disorder: 7 after 9 | gsort -c down.bin
1 | twice.bin:1: disorder: 7 after 7: equal keys | gsort -uc twice.bin
2 | down.bin:1: disorder: 7 after 9 | gsort -m down.bin
1 | - | gsort -C down.bin
0 | - | gsort -c twice.bin
0 | - | gsort -cr down.bin
END
}

@test "arrays of numpy" {
    walk <<'END'
0 | - | gsort -t u32 a.npy
2 | drop -t f64: its header says u32 | gsort -t f64 a.npy
0 | - | gsort dates.npy -o sorted.npy
0 | - | gsort column.npy -o sorted.npy
2 | there is no column '1': they are 0 to 0 | gsort -k 1 column.npy
2 | are there several arrays? unzip -p FILE NAME gives one | cat a.npy a.npy | gsort
2 | there is no field 'cost'; its fields are: price ts | gsort -k cost trades.npy
0 | - | gsort -k price,ts trades.npy
0 | - | gsort --argsort=u64 a.npy -o order.npy && head -c 6 order.npy | grep -q NUMPY
0 | - | gsort --print dates.npy
END
}

@test "nobody needs od" {
    walk <<'END'
0 | - | [ "$(gsort --print=1 twice.bin)" = 7 ]
0 | - | [ "$(gsort -t u32be --print down.bin | wc -l)" = 2 ]
0 | - | [ "$(gsort --print=0 trades.npy)" = "$(printf '#price\tts')" ]
0 | - | [ "$(gsort -t u32,u16r,u16 --print down.bin)" = "$(printf '9\t7\t0')" ]
0 | - | gsort -r in.bin | gsort --print=10 | sort -c -n -r
2 | options '--print' and '-r' are incompatible | gsort -r --print in.bin
END
}
