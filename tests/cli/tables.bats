# FITS tables, LAS points and HDF5 datasets are sorted by their columns; all else in files stays.
# SPDX-License-Identifier: MIT

load ../npy

setup()
{
    without_gpu "records with other bytes than their keys"
    enter_directory
}

# by_library NAME: compare by a library of Python, which a python3 in PATH, or PYTHON, has.
by_library()
{
    need_numpy
    run "${PYTHON:-python3}" "$ROOT/tests/cli/tables.py" "$1" "$GSORT"
    [ "$status" -ne 77 ] || skip "no $1: PYTHON names a python3 that has it"
    [ "$status" -eq 0 ] || { echo "$output" && return 1; }
}

# card KEYWORD VALUE
card()
{
    printf '%-80s' "$(printf '%-8s= %20s' "$1" "$2")"
}

# table ROW_BYTES ROWS FORM...: a FITS file with such a table, without its data.
table()
{
    local row=$1 rows=$2 i=0 form
    shift 2
    { card SIMPLE T && card BITPIX 8 && card NAXIS 0 && printf '%-80s' END; } >unit
    {
        card XTENSION "'BINTABLE'" && card BITPIX 8 && card NAXIS 2 && card NAXIS1 "$row"
        card NAXIS2 "$rows" && card PCOUNT 0 && card GCOUNT 1 && card TFIELDS $#
        for form; do
            i=$((i + 1))
            card TFORM$i "'$form'"
        done
        [ -z "${SUM:-}" ] || card DATASUM "'1'"
        printf '%-80s' END
    } >unit2
    printf '%-2880s%-2880s' "$(cat unit)" "$(cat unit2)"
}

@test "FITS: all columns, in every way, are numpy's order, and nothing else changes" {
    by_library fits
}

@test "LAS: points of all formats" {
    by_library las
}

@test "astropy reads the result" {
    by_library astropy
}

@test "laspy reads the result" {
    by_library laspy
}

# with_hdf5: skip the test where the program was built without.
with_hdf5()
{
    gsort --version | grep -qx 'HDF5: yes' || skip "built without HDF5"
}

@test "HDF5: structures, numbers and rows, and h5py reads the result" {
    with_hdf5
    by_library h5py
}

@test "HDF5: what has not one contiguous dataset is refused in one line" {
    with_hdf5
    by_library refused
}

@test "HDF5: without it, or from a pipe, the cure is named" {
    { printf '\x89HDF\r\n\x1a\n' && head -c 1000 /dev/zero; } >in.h5
    run -2 --separate-stderr gsort <(cat in.h5)
    assert_trouble "looks like an HDF5 file, not plain keys: a gsort of make HDF5=1 sorts"
    ! gsort --version | grep -qx 'HDF5: yes' || return 0
    for words in "" "-k x" "-t f64"; do
        # shellcheck disable=SC2086  # words are meant
        run -2 --separate-stderr gsort $words in.h5 -o out
        assert_trouble "in.h5: looks like an HDF5 file, not plain keys: a gsort of make HDF5=1"
    done
}

@test "columns without a name, and what is no key" {
    { table 16 2 J E 1P && printf '%-2880s' 11112222333333330000444455555555; } >in.fits
    gsort -k col1 in.fits -o out.fits
    [ "$(tail -c +5761 out.fits | head -c 32)" = 00004444555555551111222233333333 ]
    head -c 5760 in.fits | cmp - <(head -c 5760 out.fits)
    while IFS='|' read -r keys text; do
        # shellcheck disable=SC2086  # words are meant
        run -2 --separate-stderr gsort $keys in.fits -o out
        assert_trouble "$text"
    done <<'END'
|cannot be sorted by field col3: its values are in the heap; -k FIELD chooses others
-k id|there is no field 'id'; its fields are: col1 col2 col3
-k col3|cannot be sorted by field col3: its values are in the heap
-u -k col1|a FITS, LAS or HDF5 file keeps all of its records: it can only be sorted
--head=1 -k col1|a FITS, LAS or HDF5 file keeps all of its records
-k col1 in.fits|a FITS, LAS or HDF5 file is sorted alone
END
    run -2 --separate-stderr gsort -k col1 in.fits --split=2 -o out-%d
    assert_trouble "a FITS, LAS or HDF5 file keeps all of its records"
    run -2 --separate-stderr gsort -k col1 in.fits
    assert_trouble "a FITS, LAS or HDF5 file becomes another one: use -o FILE"
    run -2 --separate-stderr gsort -o out <(cat in.fits)
    assert_trouble "looks like a FITS file"
    run -2 --separate-stderr gsort -k col1 -o out <in.fits
    assert_trouble "of a FITS, LAS or HDF5 file that is named alone, it is a field"
    cat in.fits in.fits >twice.fits
    run -2 --separate-stderr gsort -k col1 --minus=twice.fits in.fits -o out
    assert_trouble "a FITS, LAS or HDF5 file keeps all of its records"
    { table 2 3 B B && printf '%-2880s' $'\2a\1b\2c'; } >small.fits
    gsort -k col1 --offsets=offsets small.fits -o out.fits
    keys 0 0 0 0 1 0 3 0 | cmp - offsets
    [ "$(tail -c +5761 out.fits | head -c 6)" = $'\1b\2a\2c' ]
    local rows=aaaabbbbccccddddeeeeffffgggghhhh
    { table 8 4 J E && printf '%-2880s' "$rows"; } >rows.fits
    gsort --shuffle=1 rows.fits -o out.fits
    head -c 5760 rows.fits | cmp - <(head -c 5760 out.fits)
    [ "$(tail -c +5761 out.fits | head -c 32 | fold -w 8 | sort | tr -d '\n')" = "$rows" ]
    [ "$(tail -c +5793 out.fits)" = "$(tail -c +5793 rows.fits)" ]
}

@test "a FITS file that is damaged, cut off, or has no table is refused in one line" {
    table 8 1000 D >cut.fits
    table 8 0 D 3J >more.fits
    table 8 0 5X >less.fits
    table 8 0 7Y >unknown.fits
    SUM=1 table 6 0 6A >sum.fits
    head -c 2880 cut.fits >none.fits
    head -c 2000 cut.fits >short.fits
    while IFS='|' read -r name text; do
        run -2 --separate-stderr gsort -k col1 "$name.fits" -o out
        assert_trouble "$name.fits: $text"
    done <<'END'
cut|is cut off within its 1000 records of 8 bytes
more|damaged FITS header: columns do not fit into rows
less|damaged FITS header: columns do not fill rows
unknown|damaged FITS header: columns do not fit into rows
sum|its DATASUM would be another one, as rows have 6 bytes: remove that first
none|ends in front of its binary table
short|ends in front of its binary table
END
    run -2 --separate-stderr gsort none.fits -o out
    assert_trouble "none.fits: looks like a FITS file, not plain keys: -k COLUMN sorts"
}

@test "a LAS file that is compressed or damaged is refused in one line" {
    # point FORMAT LENGTH BEGIN COUNT: numbers of two octal digits
    point()
    {
        printf 'LASF%020d\1\2' 0
        printf '%068d\343\0' 0
        # shellcheck disable=SC2059  # numbers are in the format
        printf "\\$3\0\0\0\0\0\0\0\\$1\\$2\0\\$4\0\0\0"
        printf '%0116d' 0
    }
    while read -r numbers text; do
        # shellcheck disable=SC2086  # numbers
        point ${numbers//,/ } >in.las
        run -2 --separate-stderr gsort -k X in.las -o out
        assert_trouble "$text"
    done <<'END'
200,24,343,1 it is compressed; laszip -i FILE.laz -o FILE.las unpacks it
13,24,343,1 its point format is unknown
0,23,343,1 its points are shorter than their format
0,24,342,1 its points begin within its header
0,24,343,1 is cut off within its 1 records of 20 bytes
END
}
