/* argsort_formats.h -- formats of all kinds of keys that leave room for a position, on the device.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ARGSORT_FORMATS_H
#define GS_ARGSORT_FORMATS_H

/* They are sorted in elements of 8 bytes, or of 16. */
static const char *const argsort_formats[] = {
    "u8",
    "u8 r",
    "i16",
    "bf16 r",
    "u32",
    "u32be",
    "f32 r",
    "M8[s]",
    "i64",
    "f64",
    "f64be r",
    "R3 k1:u16be s",
    "R5 k4:u8 k0:u32",
    "R8 k4:f32r k0:i32",
    "R8 k3:u16",
    "R8 k0:u32 r",
    "R12 k4:u64r",
    "R12 k0:b12",
    "R16 k8:f64r",
    "R16 k2:f16 k4:f32 k10:u16 r",
    "R8 kzorder(0:u32,4:u32)",
    "R9 kzorder(0:u16,2:u16,4:i16)r",
    "R16 kzorder(0:u32,12:u32,8:u32)",
};
enum { ARGSORT_FORMATS = sizeof argsort_formats / sizeof *argsort_formats };

#endif
