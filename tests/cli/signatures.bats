# Each kind of file that has no plain keys is known, however it comes and whatever it is said to be.
# SPDX-License-Identifier: MIT

load ../helper

# sample NAME [OFFSET BYTES]...: a file that has these bytes, as printf understands them, there, and
# random keys elsewhere.
sample()
{
    local name=$1
    shift
    SAMPLES+=("$name")
    cp filler "$name"
    while [ $# -gt 0 ]; do
        # shellcheck disable=SC2059  # the format is the data
        if [ "$1" -eq 0 ]; then
            printf -- "$2" 1<>"$name" # most of them; a process less
        else
            printf -- "$2" | dd of="$name" bs=1 seek="$1" conv=notrunc status=none
        fi
        shift 2
    done
}

# From the formats' specifications, and not from the table in common/formats/signatures.c.
compressed_data()
{
    sample gzip 0 '\x1f\x8b\x08\x08\x65\x11\x22\x33\x02\x03name\0'
    sample bgzf 0 '\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0'
    sample zstd 0 '\x28\xb5\x2f\xfd\x04\x58\x45\x02\0'
    sample pzstd 0 '\x50\x2a\x4d\x18\x04\0\0\0'
    sample xz 0 '\xfd7zXZ\0\0\x04'
    sample lzma 0 '\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0'
    sample bzip2 0 'BZh91AY&SY'
    sample lz4 0 '\x04\x22\x4d\x18\x64\x40\xa7'
    sample lz4-legacy 0 '\x02\x21\x4c\x18\x11\x22\x33\0'
    sample lzip 0 'LZIP\x01\x0c'
    sample lzop 0 '\x89LZO\0\r\n\x1a\n'
    # Nine bits a code: 24 of the letter a, LSB first.
    local eight='\x61\xc2\x84\x09\x13\x26\x4c\x98\x30'
    sample compress 0 "\\x1f\\x9d\\x90$eight$eight$eight"
    sample snappy 0 '\xff\x06\0\0sNaPpY'
}

archives()
{
    sample zip 0 'PK\x03\x04\x14\0\0\0\x08\0'
    sample zip-empty 0 'PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    sample tar-posix 257 'ustar\x0000'
    sample tar-gnu 257 'ustar  \0'
    sample 7z 0 '7z\xbc\xaf\x27\x1c\0\x04'
    sample rar4 0 'Rar!\x1a\x07\0'
    sample rar5 0 'Rar!\x1a\x07\x01\0'
    sample deb 0 '!<arch>\ndebian-binary   '
    sample ar 0 '!<arch>\n/               '
    sample cpio 0 070701 102 00000000
    sample cpio-crc 0 070702 54 0000002a0000000800000001000000000000000000000005000012ab
    sample cpio-odc 0 0707070000010000021006440000000000000000010000001516110537400000200000000002
    sample xar 0 'xar!\0\x1c\0\x01'
    sample cab 0 'MSCF\0\0\0\0'
    sample lha 2 '-lh5-' 20 '\0'
    sample rpm 0 '\xed\xab\xee\xdb\x03\0\0\0'
    sample wim 0 'MSWIM\0\0\0'
    sample git-pack 0 'PACK\0\0\0\x02'
    sample git-pack-index 0 '\xfftOc\0\0\0\x02'
    sample git-index 0 'DIRC\0\0\0\x02'
}

databases()
{
    sample sqlite 0 'SQLite format 3\0'
    sample db-btree 12 '\x62\x31\x05\0\x09\0\0\0'
    sample db-hash 12 '\x61\x15\x06\0\x09\0\0\0'
    sample gdbm 0 '\xcf\x9a\x57\x13\0\x10\0\0'
    sample lmdb 16 '\xde\xc0\xef\xbe\x01\0\0\0'
    sample redis 0 REDIS0011
    sample duckdb 8 'DUCK\x40\0\0\0\0\0\0\0'
    sample access-jet 0 '\0\x01\0\0Standard Jet DB\0'
    sample access-ace 0 '\0\x01\0\0Standard ACE DB\0'
    sample pgdump 0 'PGDMP\x01\x0f\0'
    sample journal 0 LPKSHHRH
}

arrays()
{
    sample parquet 0 'PAR1\x15\x04\x15'
    sample arrow 0 'ARROW1\0\0'
    sample arrow-stream 0 '\xff\xff\xff\xff\x78\x02\0\0\x10\0\0\0\0\0\x0a\0\x0c\0'
    sample avro 0 'Obj\x01\x04\x16avro.schema'
    sample hdf5 0 '\x89HDF\r\n\x1a\n'
    sample hdf5-behind-a-block 512 '\x89HDF\r\n\x1a\n'
    sample netcdf1 0 'CDF\x01' 8 '\0\0\0\x0a'
    sample netcdf2 0 'CDF\x02' 8 '\0\0\0\0'
    sample netcdf5 0 'CDF\x05' 12 '\0\0\0\x0a'
    sample fits 0 'SIMPLE  =                    T'
    sample matlab5 0 'MATLAB 5.0 MAT-file, Platform'
    sample grib1 0 GRIB 7 '\x01\0\0\x1c'
    sample grib2 0 GRIB 7 '\x02\0\0\0\0'
    sample root 0 root 8 '\0\0\0\x64'
    sample las 0 LASF 24 '\x01\x04' 94 '\x77\x01'
    sample dicom 128 'DICM\x02\0\0\0'
    sample nifti 0 '\x5c\x01\0\0' 344 'n+1\0'
    sample mrc 208 'MAP \x44\x44\0\0'
    sample shapefile 0 '\0\0\x27\x0a' 28 '\xe8\x03\0\0'
    sample cram 0 'CRAM\x03\x01'
    sample 2bit 0 '\x43\x27\x41\x1a\0\0\0\0' 12 '\0\0\0\0'
    sample bigwig 0 '\x26\xfc\x8f\x88\x04\0'
    sample bigbed 0 '\xeb\xf2\x89\x87\x04\0'
    sample spss 0 '$FL2@(#) SPSS DATA FILE'
    sample sas 0 '\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0'
    sample pickle 0 '\x80\x04\x95\x11\x22\x33\0\0\0\0\0'
    sample gguf 0 'GGUF\x03\0\0\0'
    sample safetensors 0 '\x80\x10\0\0\0\0\0\0{"model.embed_tokens.weight":{"dtype":"BF16"'
}

pictures_and_films()
{
    sample png 0 '\x89PNG\r\n\x1a\n'
    sample jpeg-jfif 0 '\xff\xd8\xff\xe0\0\x10JFIF\0'
    sample jpeg-exif 0 '\xff\xd8\xff\xe1\x12\x34Exif\0\0'
    sample jpeg-adobe 0 '\xff\xd8\xff\xee\0\x0eAdobe'
    sample jpeg-plain 0 '\xff\xd8\xff\xdb\0\x43\0'
    sample jp2 0 '\0\0\0\x0cjP  \r\n\x87\n'
    sample gif 0 GIF89a
    sample tiff-le 0 'II*\0\x08\0\0\0\x10\0\0\x01\x03\0'
    sample tiff-be 0 'MM\0*\0\0\0\x08\0\x10\0\xfe\0\x04'
    sample bigtiff 0 'II+\0\x08\0\0\0'
    sample bmp 0 BM 6 '\0\0\0\0\x36\0\0\0\x28\0\0\0' 26 '\x01\0\x18\0'
    sample psd 0 '8BPS\0\x01\0\0\0\0\0\0'
    sample exr 0 '\x76\x2f\x31\x01\x02\0\0\0'
    sample dds 0 'DDS \x7c\0\0\0'
    sample webp 0 RIFF 8 WEBPVP8
    sample djvu 0 'AT&TFORM'
    sample wav 0 RIFF 8 WAVEfmt
    sample wav64 0 'RF64\xff\xff\xff\xffWAVEds64'
    sample avi 0 RIFF 8 'AVI LIST'
    sample aiff 0 FORM 8 AIFF
    sample aifc 0 FORM 8 AIFC
    sample au 0 '.snd\0\0\0\x18' 12 '\0\0\0\x03'
    sample flac 0 'fLaC\0\0\0\x22'
    sample ogg 0 'OggS\0\x02'
    sample mp3 0 'ID3\x04\0\0\0\0\x23\x76'
    sample midi 0 'MThd\0\0\0\x06'
    sample mp4 0 '\0\0\0\x20ftypisom'
    sample mkv 0 '\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01'
    sample webm 0 '\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x86\x81\x01'
    sample flv 0 'FLV\x01\x05\0\0\0\x09'
    sample wmv 0 '\x30\x26\xb2\x75\x8e\x66\xcf\x11'
}

programs_and_documents()
{
    sample elf 0 '\x7fELF\x02\x01\x01\0'
    sample pe 0 'MZ\x90\0' 60 '\x80\0\0\0' 128 'PE\0\0'
    sample macho 0 '\xcf\xfa\xed\xfe\x0c\0\0\x01'
    sample macho-fat 0 '\xca\xfe\xba\xbe\0\0\0\x02'
    sample class 0 '\xca\xfe\xba\xbe\0\0\0\x41'
    sample wasm 0 '\0asm\x01\0\0\0'
    sample bitcode 0 'BC\xc0\xde\x35\x14'
    sample dex 0 'dex\n035\0'
    sample pyc 0 '\xcb\x0d\r\n\0\0\0\0' 16 '\xe3'
    sample pyc-hash 0 '\x55\x0d\r\n\x03\0\0\0' 16 '\xe3'
    sample gettext 0 '\xde\x12\x04\x95\0\0\0\0\x20\0\0\0\x1c\0\0\0'
    sample woff 0 'wOFF\0\x01\0\0'
    sample woff2 0 'wOF2OTTO'
    sample opentype 0 'OTTO\0\x0c\0\x80\0\x03'
    sample truetype 0 '\0\x01\0\0\0\x12\x01\0\0\x04\0\x20DSIG'
    sample truetype-os2 0 '\0\x01\0\0\0\x0f\0\x80\0\x03\0\x70OS/2'
    sample pdf 0 '%%PDF-1.7'
    sample postscript 0 '%%!PS-Adobe-3.0'
    sample ole 0 '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
    sample rtf 0 '{\\rtf1'
    sample openssl 0 Salted__
    sample age 0 age-encryption.org/v1
    sample pcap 0 '\xd4\xc3\xb2\xa1\x02\0\x04\0'
    sample pcap-ns 0 '\x4d\x3c\xb2\xa1\x02\0\x04\0'
    sample pcap-be 0 '\xa1\xb2\xc3\xd4\0\x02\0\x04'
    sample pcapng 0 '\x0a\x0d\x0d\x0a' 8 '\x4d\x3c\x2b\x1a'
    sample snoop 0 'snoop\0\0\0'
}

disks()
{
    sample iso9660 32768 '\x01CD001\x01'
    sample udf 32768 '\0BEA01\x01'
    sample ext4 1048 '\x02\0\0\0' 1080 '\x53\xef\x01\0\x01\0' 1096 '\0\0\0\0\x01\0\0\0'
    sample xfs 0 'XFSB\0\0\x10\0'
    sample btrfs 65600 _BHRfS_M
    sample f2fs 1024 '\x10\x20\xf5\xf2\x01\0'
    sample erofs 1024 '\xe2\xe1\xf5\xe0' 1036 '\x0c'
    sample apfs 32 'NXSB\0\x10\0\0'
    sample hfsplus 1024 'H+\0\x04' 1064 '\0\0\x10\0'
    sample hfsx 1024 'HX\0\x05' 1064 '\0\0\x10\0'
    sample ntfs 3 'NTFS    '
    sample exfat 3 'EXFAT   '
    sample fat32 82 'FAT32   ' 510 '\x55\xaa'
    sample fat12 54 'FAT12   ' 510 '\x55\xaa'
    sample squashfs 0 hsqs 28 '\x04\0\0\0'
    sample swap 4086 SWAPSPACE2
    sample luks 0 'LUKS\xba\xbe\0\x02'
    sample lvm 512 LABELONE
    sample gpt 512 'EFI PART'
    sample mbr 446 '\x80' 462 '\0' 478 '\0' 494 '\0' 510 '\x55\xaa'
    sample qcow2 0 'QFI\xfb\0\0\0\x03'
    sample vmdk 0 'KDMV\x01\0\0\0'
    sample vdi 64 '\x7f\x10\xda\xbe\x01\0\x01\0'
    sample vhd 0 conectix
    sample vhdx 0 vhdxfile
    sample sparse 0 '\x3a\xff\x26\xed\x01\0\0\0'
}

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    mkdir samples && cd samples || return
    SAMPLES=()
    keygen uniform 18K >filler
    compressed_data
    archives
    databases
    arrays
    pictures_and_films
    programs_and_documents
    disks
    rm filler
}

setup()
{
    enter_directory
    cp -r "$BATS_FILE_TMPDIR/samples" . && cd samples || return
    SAMPLES=(*)
}

# refused COMMAND...: the command fails with 2, and one line that says what the sample looks like.
refused()
{
    local status=0 said
    "$@" 2>../said >../out || status=$?
    said=$(<../said)
    [[ $status -eq 2 && ! -s ../out && $said != *$'\n'* &&
        $said = "gsort: "*": looks like "*", not plain keys: "*"; --format=raw insists" ]] || {
        echo "$* (status $status): $said" >&2
        return 1
    }
}

from_pipe()
{
    gsort "$@" < <(cat "$sample")
}

@test "at least 48 kinds, as plain keys, into themselves" {
    [ ${#SAMPLES[@]} -ge 100 ]
    for sample in "${SAMPLES[@]}"; do
        refused gsort "$sample" -o "$sample"
    done
    diff -r . "$BATS_FILE_TMPDIR/samples"
}

@test "with bytes to skip" {
    take_each 8 "${SAMPLES[@]}"
    for sample in "${TURNS[@]}"; do
        refused gsort --skip=80 "$sample" -o "$sample"
    done
}

@test "as an array of a type" {
    take_each 8 "${SAMPLES[@]}"
    for sample in "${TURNS[@]}"; do
        refused gsort -t f64 "$sample" -o "$sample"
    done
}

@test "as records" {
    take_each 8 "${SAMPLES[@]}"
    for sample in "${TURNS[@]}"; do
        refused gsort -R 16 -k 8:u64 "$sample" -o "$sample"
    done
}

@test "from a pipe" {
    take_turns "${SAMPLES[@]}"
    for sample in "${TURNS[@]}"; do
        refused from_pipe -o ../new
    done
    cd .. && assert_only samples said out "${SAMPLES[@]/#/samples/}"
}

@test "from a pipe, with bytes to skip, as a type or as records" {
    take_each 8 "${SAMPLES[@]}"
    for sample in "${TURNS[@]}"; do
        refused from_pipe --skip=40 -t u64
        refused from_pipe -t i32be
        refused from_pipe -R 8 -k 0:f32
    done
}

@test "in every mode" {
    export GSORT_DEVICE= # a GPU does not sort these
    take_each 12 "${SAMPLES[@]}"
    keygen uniform 1000 >../keys
    for sample in "${TURNS[@]}"; do
        refused gsort -m -t u8 /dev/null "$sample" -o "$sample"
        refused gsort -c -t u64 "$sample"
        refused gsort --argsort=u32 -R 8 "$sample" -o ../new
        refused gsort --plan -R 4 "$sample"
        refused gsort --resume -T .. -S 1M --skip=4 ../keys "$sample" -o ../new
        refused gsort -t u16 -o ../new <"$sample"
    done
    cd .. && assert_only samples said out keys "${SAMPLES[@]/#/samples/}"
}

@test "real files, of the programs that are here" {
    cd .. && seq 10000 >lines && truncate -s 4M disk
    for tool in gzip zstd xz bzip2 lz4 lzop lzip compress; do
        ! command -v "$tool" >/dev/null || { "$tool" <lines >"real-$tool" && [ -s "real-$tool" ]; }
    done
    tar -cf real-tar lines
    ar rc real-ar lines 2>/dev/null || rm -f real-ar
    ! command -v zip >/dev/null || zip -q - lines >real-zip
    ! command -v sqlite3 >/dev/null || sqlite3 real-sqlite 'create table t (x)'
    ! command -v mke2fs >/dev/null || { cp disk real-ext4 && mke2fs -q -F -t ext4 real-ext4; }
    ! command -v mkswap >/dev/null || { cp disk real-swap && mkswap real-swap >/dev/null 2>&1; }
    cp "$GSORT" real-elf
    ! command -v python3 >/dev/null || python3 - <<'END'
import lzma, pickle, sqlite3, tarfile, wave, zipfile
with wave.open("real-wav", "wb") as f:
    f.setnchannels(1)
    f.setsampwidth(2)
    f.setframerate(8000)
    f.writeframes(bytes(8000))
sqlite3.connect("real-sqlite3").execute("create table t (x)").connection.commit()
with lzma.open("real-lzma", "wb", format=lzma.FORMAT_ALONE) as f:
    f.write(bytes(range(256)) * 100)
for protocol in 4, 5:
    with open("real-pickle%d" % protocol, "wb") as f:
        pickle.dump(list(range(1000)), f, protocol)
for kind in tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT:
    with tarfile.open("real-tar%d" % kind, "w", format=kind) as f:
        f.add("lines")
with zipfile.ZipFile("real-npz", "w") as f:
    f.write("lines")
with zipfile.ZipFile("real-empty-zip", "w"):
    pass
END
    cd samples || return
    for sample in ../real-*; do
        refused gsort -t u8 "$sample" -o "$sample"
        refused from_pipe --skip=1 -R 1
    done
}

@test "no distribution of any type is taken for something else" {
    local -a distributions
    mapfile -t distributions < <(keygen --list | awk '{ print $1 }')
    [ ${#distributions[@]} -ge 25 ]
    cd ..
    take_turns "${distributions[@]}"
    distributions=("${TURNS[@]}")
    for distribution in "${distributions[@]}"; do
        keygen "$distribution" 20K >in
        gsort --plan in >plan
        take_each 12 u8 u64 u128 i16 i64be f16 bf16 f32 f64 f64be b10 b3
        [[ ! $distribution =~ ^(gray|paths|alike)$ ]] || TURNS=()
        for type in "${TURNS[@]}"; do
            keygen "--type=$type" "$distribution" 20K >in
            gsort --plan -t "$type" in >plan
            gsort --plan -t u8 <in >plan
        done
    done
}

@test "--format=raw insists" {
    take_few "${SAMPLES[@]}"
    for sample in "${TURNS[@]}"; do
        gsort --format=raw "$sample" | gsort --format=raw -C
    done
}

@test "other bytes in the fields are keys" {
    keygen uniform 18K >keys
    for sample in gzip zstd compress pe tiff-le bmp mbr ext4; do
        cp "$sample" other
        case $sample in
        gzip) printf '\x2f' | dd of=other bs=1 seek=9 conv=notrunc status=none ;;
        zstd) printf '\xff' | dd of=other bs=1 seek=8 conv=notrunc status=none ;;
        compress) printf '\xff\xff' | dd of=other bs=1 seek=9 conv=notrunc status=none ;;
        pe) printf 'Pe' | dd of=other bs=1 seek=128 conv=notrunc status=none ;;
        tiff-le) printf '\0\x11' | dd of=other bs=1 seek=10 conv=notrunc status=none ;;
        bmp) printf '\x02' | dd of=other bs=1 seek=26 conv=notrunc status=none ;;
        mbr) printf '\x01' | dd of=other bs=1 seek=462 conv=notrunc status=none ;;
        ext4) printf '\x77' | dd of=other bs=1 seek=1099 conv=notrunc status=none ;;
        esac
        assert_sorts other
    done
}
