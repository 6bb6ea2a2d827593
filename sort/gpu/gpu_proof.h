/* gpu_proof.h -- under options->verify: are the keys in device memory those that the host has read?
 * SPDX-License-Identifier: MIT
 *
 * The device looks at what has arrived, before it touches it, and at what it has sorted. The host
 * looks at both ends, too: at what it reads, and at each key that it writes. But only the device
 * can tell before the output is complete that a key was lost there, and that it was the GPU.
 */
#ifndef GS_GPU_PROOF_H
#define GS_GPU_PROOF_H

#include "sort/device/kernels/gpu_launchers.h"

#include "common/status.h"

struct gs_gpu_proof {
    struct gs_gpu_look *looks; /* device: at keys that arrived, at sorted ones; NULL: no proof */
    unsigned processors;
};

/* Close it also after a failure. */
enum gs_status gs_gpu_proof_open(struct gs_gpu_proof *proof, unsigned processors,
                                 struct gs_error *err);
void gs_gpu_proof_close(struct gs_gpu_proof *proof);

/* Queue a look at keys that have arrived. Without proof, this and the next do nothing. */
enum gs_status gs_gpu_proof_arrived(const struct gs_gpu_proof *proof, const gs_key *keys,
                                    uint64_t count, cudaStream_t stream, struct gs_error *err);

/* Once all keys are sorted: wait for a look at them. Fails with GS_ERR_DEVICE unless they are in
 * order and all that arrived, and fingerprint, of what the host has read, says the same. */
enum gs_status gs_gpu_proof_sorted(const struct gs_gpu_proof *proof, const gs_key *keys,
                                   uint64_t count, uint64_t fingerprint, cudaStream_t stream,
                                   struct gs_error *err);

#endif
