/* signatures.c -- the table of signatures, from the formats' specifications.
 * SPDX-License-Identifier: MIT
 *
 * The first bytes of a format could also be the first keys. So each entry has as many bits as its
 * header fixes: at least 36, and all entries together are met by fewer than one random file in
 * 2^33 (tests/unit/test_magic.c). A format that is known by four bytes has a second field; zeros
 * are not counted on where small numbers would have them, too.
 */
#include "common/formats/signatures.h"

#include "common/formats/table.h"

#include <string.h>

#define AT(offset, bytes)                                                                          \
    {                                                                                              \
        offset, sizeof(bytes) - 1, bytes, NULL                                                     \
    }
#define BITS(offset, bytes, mask)                                                                  \
    {                                                                                              \
        offset, sizeof(bytes) - 1, bytes, mask                                                     \
    }
#define ZEROS_4 "\0\0\0\0"

const struct gs_signature gs_signatures[] = {
    {"a NumPy array", .fields = {BITS(0, "\x93NUMPY\0", "\xff\xff\xff\xff\xff\xff\xfc")},
     .look = gs_look_npy, .advice = "a file of it is sorted without -t, -R and --skip"},

    /* Compressed data. gzip: method, reserved flags, compression level. zstd: reserved bits. lz4:
     * frame version, block size and reserved bits; of the old format, blocks of at most 8 MiB. */
    {"gzip data",
     .fields = {AT(0, "\x1f\x8b\x08"), BITS(3, "\0", "\xe0"), BITS(8, "\0\0", "\xf9\0")},
     .look = gs_look_gzip, .command = "zcat"},
    {"zstd data", .fields = {BITS(0, "\x28\xb5\x2f\xfd\0", "\xff\xff\xff\xff\x18")},
     .look = gs_look_zstd, .command = "zstdcat"},
    {"zstd data", .fields = {BITS(0, "\x50\x2a\x4d\x18\4\0\0", "\xf0\xff\xff\xff\xff\xff\xff")},
     .command = "zstdcat"},
    {"xz data", .fields = {AT(0, "\xfd\x37zXZ\0\0")}, .command = "xzcat"},
    {"lzma data", .fields = {AT(0, "\x5d\0\0"), AT(5, "\xff\xff\xff\xff\xff\xff\xff\xff\0")},
     .command = "xzcat"},
    {"bzip2 data", .fields = {BITS(0, "BZh0", "\xff\xff\xff\xf0"), AT(4, "1AY&SY")},
     .command = "bzcat"},
    {"lz4 data", .fields = {AT(0, "\x04\x22\x4d\x18"), BITS(4, "\x40\x40", "\xc2\xcf")},
     .command = "lz4cat"},
    {"lz4 data", .fields = {AT(0, "\x02\x21\x4c\x18"), AT(7, "\0")}, .command = "lz4cat"},
    {"lzip data", .fields = {AT(0, "LZIP\1")}, .command = "lzip -dc"},
    {"lzop data", .fields = {AT(0, "\x89LZO\0\r\n\x1a\n")}, .command = "lzop -dc"},
    {"compress data", .fields = {AT(0, "\x1f\x9d"), BITS(2, "\x80", "\xe0")},
     .look = gs_look_compress, .command = "zcat"},
    {"Snappy data", .fields = {AT(0, "\xff\6\0\0sNaPpY")}},

    /* Archives and packages. */
    {"a zip archive", .fields = {BITS(0, "PK\3\4\0\0", "\xff\xff\xff\xff\xc0\xff")},
     .command = "unzip -p"},
    {"an empty zip archive", .fields = {AT(0, "PK\5\6\0\0\0\0\0\0\0\0")}},
    {"a tar archive", .fields = {BITS(257, "ustar\0", "\xff\xff\xff\xff\xff\xdf")},
     .command = "tar -xOf"},
    {"a 7z archive", .fields = {AT(0, "7z\xbc\xaf\x27\x1c\0")}, .command = "7z x -so"},
    {"a RAR archive", .fields = {AT(0, "Rar!\x1a\7"), BITS(6, "\0", "\xfe")},
     .command = "unrar p -inul"},
    {"a Debian package", .fields = {AT(0, "!<arch>\ndebian")}},
    {"an ar archive", .fields = {AT(0, "!<arch>\n")}, .command = "ar p"},
    {"a cpio archive", .fields = {AT(0, "070701"), AT(102, "00000000")}},
    {"a cpio archive", .fields = {AT(0, "070702"), AT(78, "0000"), AT(94, "0000")}},
    {"a cpio archive", .fields = {AT(0, "070707"), BITS(18, "0", "\xfe"), AT(59, "000")}},
    {"a xar archive", .fields = {AT(0, "xar!\0"), AT(6, "\0\1")}},
    {"a cabinet file", .fields = {AT(0, "MSCF\0\0\0\0")}},
    {"an LHA archive",
     .fields = {BITS(2, "-lh0-", "\xff\xff\xff\xf0\xff"), BITS(20, "\0", "\xfc")}},
    {"an RPM package",
     .fields = {BITS(0, "\xed\xab\xee\xdb\0\0\0", "\xff\xff\xff\xff\xf8\xfe\xff")}},
    {"a WIM archive", .fields = {AT(0, "MSWIM\0\0\0")}},
    {"a Git pack", .fields = {AT(0, "PACK\0\0\0\2")}},
    {"a Git pack's index", .fields = {AT(0, "\xfftOc\0\0\0\2")}},
    {"a Git index", .fields = {BITS(0, "DIRC\0\0\0", "\xff\xff\xff\xff\xff\xff\xff")}},

    /* Databases. */
    {"an SQLite database", .fields = {AT(0, "SQLite format 3\0")}, .advice = "sqlite3 reads it"},
    {"a Berkeley DB file",
     .fields = {AT(12, "\x62\x31\5\0"), BITS(16, ZEROS_4, "\xf0\xff\xff\xff")}},
    {"a Berkeley DB file",
     .fields = {AT(12, "\x61\x15\6\0"), BITS(16, ZEROS_4, "\xf0\xff\xff\xff")}},
    {"a GDBM file", .fields = {BITS(0, "\xcc\x9a\x57\x13\0", "\xfc\xff\xff\xff\xff"), AT(7, "\0")}},
    {"an LMDB file", .fields = {AT(16, "\xde\xc0\xef\xbe\1\0\0\0")}},
    {"a Redis dump", .fields = {BITS(0, "REDIS0000", "\xff\xff\xff\xff\xff\xf0\xf0\xf0\xf0")}},
    {"a DuckDB database", .fields = {AT(8, "DUCK"), AT(13, "\0\0\0\0\0\0\0")}},
    {"an Access database", .fields = {AT(0, "\0\1\0\0Standard ")}},
    {"a PostgreSQL dump", .fields = {BITS(0, "PGDMP\1\0", "\xff\xff\xff\xff\xff\xff\xe0")}},
    {"a systemd journal", .fields = {AT(0, "LPKSHHRH")}},

    /* Columns, arrays, science. */
    {"a Parquet file", .fields = {AT(0, "PAR1\x15"), BITS(5, "\0", "\xf1")}},
    {"an Arrow file", .fields = {AT(0, "ARROW1\0\0")}},
    {"an Arrow stream", .fields = {AT(0, "\xff\xff\xff\xff"), AT(6, "\0\0\x10\0\0\0\0\0\x0a\0")}},
    {"an Avro file", .fields = {AT(0, "Obj\1"), AT(6, "avro.")}},
    {"an HDF5 file", .fields = {AT(0, GS_HDF5_MAGIC)}, .advice = GS_HDF5_ADVICE},
    {"an HDF5 file", .fields = {AT(512, "\x89HDF\r\n\x1a\n")}},
    {"a NetCDF file",
     .fields = {BITS(0, "CDF\0", "\xff\xff\xff\xfc"), BITS(8, ZEROS_4, "\xff\xff\xff\xf5")}},
    {"a NetCDF file", .fields = {AT(0, "CDF\5"), BITS(12, ZEROS_4, "\xff\xff\xff\xf5")}},
    {"a FITS file", .fields = {AT(0, "SIMPLE  ="), AT(29, "T")},
     .advice = "-k COLUMN sorts the first binary table of a file that is named"},
    {"a MATLAB file", .fields = {AT(0, "MATLAB "), AT(11, "MAT-file")}},
    {"a GRIB file", .fields = {AT(0, "GRIB"), AT(7, "\1\0\0")}},
    {"a GRIB file", .fields = {AT(0, "GRIB"), AT(7, "\2\0\0\0")}},
    {"a ROOT file", .fields = {AT(0, "root"), AT(8, "\0\0\0\x64")}},
    {"a LAS point cloud",
     .fields = {AT(0, "LASF"), BITS(24, "\1\0", "\xff\xf8"), BITS(95, "\0", "\xfe")},
     .advice = "-k gps_time sorts the points of a file that is named"},
    {"a DICOM file", .fields = {AT(128, "DICM\2\0")}},
    {"a NIfTI image",
     .fields = {AT(0, "\x5c\1\0\0"), BITS(344, "n)1", "\xff\xbd\xff"), AT(347, "\0")}},
    {"an MRC density map",
     .fields = {AT(208, "MAP "), BITS(212, "\x44\x40\0\0", "\xff\xfa\xff\xff")}},
    {"an ESRI shapefile", .fields = {AT(0, "\0\0\x27\x0a"), AT(28, "\xe8\3\0\0")}},
    {"a CRAM file", .fields = {BITS(0, "CRAM\2\0", "\xff\xff\xff\xff\xfe\xfe")}},
    {"a 2bit genome", .fields = {AT(0, "\x43\x27\x41\x1a\0\0\0\0"), AT(12, ZEROS_4)}},
    {"a bigWig file", .fields = {AT(0, "\x26\xfc\x8f\x88"), BITS(4, "\0\0", "\xf8\xff")}},
    {"a bigBed file", .fields = {AT(0, "\xeb\xf2\x89\x87"), BITS(4, "\0\0", "\xf8\xff")}},
    {"an SPSS file", .fields = {AT(0, "$FL2@(#)")}},
    {"a SAS data set", .fields = {AT(12, "\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92")}},
    {"a Python pickle", .fields = {BITS(0, "\x80\4\x95", "\xff\xfe\xff"), AT(7, ZEROS_4)}},
    {"a GGUF model", .fields = {BITS(0, "GGUF\0\0\0\0", "\xff\xff\xff\xff\xfc\xff\xff\xff")}},
    {"a safetensors file", .fields = {AT(4, "\0\0\0\0{\"")}, .look = gs_look_json},

    /* Pictures. */
    {"a PNG image", .fields = {AT(0, "\x89PNG\r\n\x1a\n")}},
    {"a JPEG image", .fields = {AT(0, "\xff\xd8\xff\xe0"), AT(6, "JFIF")}},
    {"a JPEG image", .fields = {AT(0, "\xff\xd8\xff\xe1"), AT(6, "Exif")}},
    {"a JPEG image", .fields = {AT(0, "\xff\xd8\xff\xee\0\x0e\x41\x64obe")}},
    {"a JPEG image", .fields = {BITS(0, "\xff\xd8\xff\xdb\0\0\0", "\xff\xff\xff\xff\xff\x38\xef")}},
    {"a JPEG 2000 image", .fields = {AT(0, "\0\0\0\x0cjP  \r\n\x87\n")}},
    {"a GIF image", .fields = {BITS(0, "GIF81a", "\xff\xff\xff\xff\xf1\xff")}},
    {"a TIFF image", .fields = {AT(0, "II*\0")}, .look = gs_look_tiff},
    {"a TIFF image", .fields = {AT(0, "MM\0*")}, .look = gs_look_tiff},
    {"a TIFF image", .fields = {AT(0, "II+\0\x08\0\0\0")}},
    {"a TIFF image", .fields = {AT(0, "MM\0+\0\x08\0\0")}},
    {"a BMP image",
     .fields = {AT(0, "BM"), AT(6, ZEROS_4), AT(12, "\0\0"), AT(15, "\0\0\0"), AT(26, "\1\0")}},
    {"a Photoshop image", .fields = {AT(0, "8BPS\0"), AT(6, "\0\0\0\0\0\0")}},
    {"an OpenEXR image", .fields = {AT(0, "\x76\x2f\x31\1\2"), AT(6, "\0\0")}},
    {"a DDS image", .fields = {AT(0, "DDS \x7c\0\0\0")}},
    {"a WebP image", .fields = {AT(0, "RIFF"), AT(8, "WEBP")}},
    {"a DjVu document", .fields = {AT(0, "AT&TFORM")}},

    /* Sound and films. */
    {"a WAV file", .fields = {AT(0, "RIFF"), AT(8, "WAVE")}},
    {"a WAV file", .fields = {AT(0, "RF64\xff\xff\xff\xffWAVE")}},
    {"an AVI film", .fields = {AT(0, "RIFF"), AT(8, "AVI ")}},
    {"an AIFF file", .fields = {AT(0, "FORM"), BITS(8, "AIFB", "\xff\xff\xff\xfa")}},
    {"an AU file", .fields = {AT(0, ".snd\0\0\0"), AT(12, "\0\0\0")}},
    {"a FLAC file", .fields = {BITS(0, "fLaC\0\0\0\x22", "\xff\xff\xff\xff\x7f\xff\xff\xff")}},
    {"an Ogg file", .fields = {AT(0, "OggS\0\2")}},
    {"an MP3 file",
     .fields = {BITS(0, "ID3\0\0\0\0\0\0\0", "\xff\xff\xff\xf8\xff\x0f\x80\x80\x80\x80")}},
    {"a MIDI file", .fields = {AT(0, "MThd\0\0\0\6")}},
    {"an MP4 file", .fields = {AT(0, "\0\0\0"), AT(4, "ftyp")}},
    {"a Matroska film",
     .fields = {BITS(0, "\x1a\x45\xdf\xa3\x80\x42\x86\x81", "\xff\xff\xff\xff\x80\xff\xff\xff")}},
    {"a Matroska film",
     .fields = {AT(0, "\x1a\x45\xdf\xa3\1\0\0\0\0\0\0"), AT(12, "\x42\x86\x81")}},
    {"an FLV film", .fields = {BITS(0, "FLV\1\0", "\xff\xff\xff\xff\xfa"), AT(5, "\0\0\0\x09")}},
    {"a WMV film", .fields = {AT(0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11")}},

    /* Programs. */
    {"an ELF program or library",
     .fields = {BITS(0, "\x7f\x45LF\0\0\1", "\xff\xff\xff\xff\xfc\xfc\xff")}},
    {"a Windows program or library", .fields = {AT(0, "MZ"), AT(62, "\0\0")}, .look = gs_look_pe},
    {"a Mach-O program or library",
     .fields = {BITS(0, "\xce\xfa\xed\xfe\0\0\0\0", "\xfe\xff\xff\xff\xe0\xff\xff\xfe")}},
    {"a Java class or Mach-O program", .fields = {AT(0, "\xca\xfe\xba\xbe\0\0\0")}},
    {"a WebAssembly module", .fields = {AT(0, "\0asm\1\0\0\0")}},
    {"a compiled Python module", /* its flags, and the code's mark */
     .fields = {BITS(1, "\x0c\r\n", "\xfc\xff\xff"), BITS(4, ZEROS_4, "\xfc\xff\xff\xff"),
                AT(16, "\xe3")}},
    {"a message catalog", .fields = {AT(0, "\xde\x12\4\x95\0\0"), AT(12, "\x1c\0\0\0")}},
    {"LLVM bitcode", .fields = {AT(0, "BC\xc0\xde\x35\x14")}},
    {"a Dalvik program", .fields = {AT(0, "dex\n03")}},

    /* Disks and file systems. */
    {"an ISO 9660 image", .fields = {AT(32768, "\1CD001\1")}},
    {"a UDF image", .fields = {AT(32768, "\0BEA01\1")}},
    {"an ext2, ext3 or ext4 file system",
     .fields = {BITS(1048, ZEROS_4, "\xf8\xff\xff\xff"),
                BITS(1080, "\x53\xef\0\0\0\0", "\xff\xff\xf8\xff\xfc\xff"),
                BITS(1096, "\0\0\0\0\0\0\0\0", "\xf8\xff\xff\xff\xfe\xff\xff\xff")}},
    {"an XFS file system",
     .fields = {BITS(0, "XFSB\0\0", "\xff\xff\xff\xff\xff\xfe"), AT(7, "\0")}},
    {"a Btrfs file system", .fields = {AT(65600, "_BHRfS_M")}},
    {"an F2FS file system", .fields = {AT(1024, "\x10\x20\xf5\xf2\1\0")}},
    {"an EROFS file system", .fields = {AT(1024, "\xe2\xe1\xf5\xe0"), BITS(1036, "\x08", "\xf8")}},
    {"an APFS container", .fields = {AT(32, "NXSB\0"), AT(38, "\0\0")}},
    {"an HFS+ file system",
     .fields = {BITS(1024, "H\x08\0\4", "\xff\x8c\xff\xfe"), AT(1064, "\0\0"), AT(1067, "\0")}},
    {"an NTFS file system", .fields = {AT(3, "NTFS    ")}},
    {"an exFAT file system", .fields = {AT(3, "EXFAT   ")}},
    {"a FAT file system", .fields = {AT(82, "FAT32   "), AT(510, "\x55\xaa")}},
    {"a FAT file system",
     .fields = {BITS(54, "FAT10   ", "\xff\xff\xff\xff\xf8\xff\xff\xff"), AT(510, "\x55\xaa")}},
    {"a SquashFS file system", .fields = {AT(0, "hsqs"), AT(28, "\4\0\0\0")}},
    {"a swap area", .fields = {AT(4086, "SWAPSPACE2")}},
    {"a LUKS volume", .fields = {BITS(0, "LUKS\xba\xbe\0\0", "\xff\xff\xff\xff\xff\xff\xff\xfc")}},
    {"an LVM volume", .fields = {AT(512, "LABELONE")}},
    {"a disk with partitions", .fields = {AT(512, "EFI PART")}},
    {"a disk with partitions",
     .fields = {BITS(446, "\0", "\x7f"), BITS(462, "\0", "\x7f"), BITS(478, "\0", "\x7f"),
                BITS(494, "\0", "\x7f"), AT(510, "\x55\xaa")}},
    {"a QCOW2 image", .fields = {BITS(0, "QFI\xfb\0\0\0\0", "\xff\xff\xff\xff\xff\xff\xff\xfc")}},
    {"a VMDK image", .fields = {BITS(0, "KDMV\0\0\0\0", "\xff\xff\xff\xff\xfc\xff\xff\xff")}},
    {"a VDI image", .fields = {AT(64, "\x7f\x10\xda\xbe"), AT(70, "\1\0")}},
    {"a VHD image", .fields = {AT(0, "conectix")}},
    {"a VHDX image", .fields = {AT(0, "vhdxfile")}},
    {"an Android sparse image", .fields = {AT(0, "\x3a\xff\x26\xed\1\0\0\0")}},

    /* Packets. */
    {"a packet capture", .fields = {AT(0, "\xd4\xc3\xb2\xa1\2\0\4\0")}},
    {"a packet capture", .fields = {AT(0, "\x4d\x3c\xb2\xa1\2\0\4\0")}},
    {"a packet capture", .fields = {AT(0, "\xa1\xb2\xc3\xd4\0\2\0\4")}},
    {"a packet capture", .fields = {AT(0, "\xa1\xb2\x3c\x4d\0\2\0\4")}},
    {"a packet capture", .fields = {AT(0, "\x0a\x0d\x0d\x0a"), AT(8, "\x4d\x3c\x2b\x1a")}},
    {"a packet capture", .fields = {AT(0, "snoop\0\0\0")}},

    /* Documents. */
    {"a PDF document", .fields = {BITS(0, "%PDF-0.", "\xff\xff\xff\xff\xff\xf0\xff")}},
    {"a PostScript document", .fields = {AT(0, "%!PS-Adobe")}},
    {"a Microsoft Office document", .fields = {AT(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")}},
    {"a font", .fields = {AT(0, "wOFF"), BITS(4, "\0\0\0\0", "\xb0\xaa\xab\xb0")}},
    {"a font", .fields = {AT(0, "wOF2"), BITS(4, "\0\0\0\0", "\xb0\xaa\xab\xb0")}},
    {"a font", .fields = {AT(0, "OTTO\0"), BITS(8, "\0\0", "\xff\xf8")}},
    {"a font", /* and the name of its first table */
     .fields = {AT(0, "\0\1\0\0\0"), BITS(8, "\0\0", "\xff\xf8"),
                BITS(12, "\x40\x40", "\xf0\xe0")}},
    {"an RTF document", .fields = {AT(0, "{\\rtf1")}},
    {"encrypted data", .fields = {AT(0, "Salted__")}},
    {"encrypted data", .fields = {AT(0, "age-encryption.org/")}},
    {.what = NULL}};

bool gs_signature_fits(const struct gs_signature *signature, const struct gs_head *head)
{
    const struct gs_signature_field *field = signature->fields;
    for (int i = 0; i < GS_SIGNATURE_FIELDS && field[i].size > 0; i++) {
        if (head->count < (size_t)field[i].offset + field[i].size)
            return false;
        const unsigned char *at = head->bytes + field[i].offset;
        for (uint32_t k = 0; k < field[i].size; k++) {
            const unsigned char mask =
                field[i].mask != NULL ? (unsigned char)field[i].mask[k] : 0xff;
            if ((at[k] & mask) != (unsigned char)field[i].bytes[k])
                return false;
        }
    }
    return signature->look == NULL || signature->look(head);
}
