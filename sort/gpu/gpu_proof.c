/* gpu_proof.c -- under options->verify: are the keys in device memory those that the host has read?
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_proof.h"
#include "sort/device/gpu_call.h"

enum { ARRIVED, SORTED, LOOKS };

enum gs_status gs_gpu_proof_open(struct gs_gpu_proof *proof, unsigned processors,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    proof->processors = processors;
    GS_CUDA_TRY(cudaMalloc((void **)&proof->looks, LOOKS * sizeof *proof->looks));
    GS_CUDA_TRY(cudaMemset(proof->looks, 0, LOOKS * sizeof *proof->looks));
    GS_CUDA_TRY(cudaStreamSynchronize(NULL)); /* looks may be on a stream that does not wait */
cleanup:
    return st;
}

void gs_gpu_proof_close(struct gs_gpu_proof *proof)
{
    cudaFree(proof->looks);
    proof->looks = NULL;
}

enum gs_status gs_gpu_proof_arrived(const struct gs_gpu_proof *proof, const gs_key *keys,
                                    uint64_t count, cudaStream_t stream, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    gs_gpu_flip("arrived", keys, count * sizeof *keys, stream);
    if (proof->looks != NULL)
        GS_CUDA_TRY(
            gs_look_at_keys_gpu(keys, count, proof->looks + ARRIVED, proof->processors, stream));
cleanup:
    return st;
}

enum gs_status gs_gpu_proof_sorted(const struct gs_gpu_proof *proof, const gs_key *keys,
                                   uint64_t count, uint64_t fingerprint, cudaStream_t stream,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_look looks[LOOKS];
    if (proof->looks == NULL)
        return GS_OK;
    gs_gpu_flip("sorted", keys, count * sizeof *keys, stream);
    GS_CUDA_TRY(gs_look_at_keys_gpu(keys, count, proof->looks + SORTED, proof->processors, stream));
    GS_CUDA_TRY(cudaMemcpyAsync(looks, proof->looks, sizeof looks, cudaMemcpyDeviceToHost, stream));
    GS_CUDA_TRY(cudaStreamSynchronize(stream));
    if (looks[ARRIVED].fingerprint != fingerprint)
        st = gs_fail(err, GS_ERR_DEVICE, 0, "GPU: verify: other keys arrived there than were read");
    else if (looks[SORTED].falls > 0)
        st = gs_fail(err, GS_ERR_DEVICE, 0, "GPU: verify: sorted keys are not in order there");
    else if (looks[SORTED].fingerprint != fingerprint)
        st = gs_fail(err, GS_ERR_DEVICE, 0, "GPU: verify: it sorted other keys than were read");
cleanup:
    return st;
}
