/* fingerprint.h -- a sum over keys that tells whether two arrays hold the same ones.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_FINGERPRINT_H
#define GS_FINGERPRINT_H

#include "common/formats/keys.h"

/* The sum of a 64-bit mix of each key: equal for two arrays that hold the same keys in any order;
 * for other arrays equal only with a chance of about 2^-64. Fingerprints of parts add up to that of
 * the whole. */
uint64_t gs_fingerprint(const gs_key *keys, uint64_t count);

#endif
