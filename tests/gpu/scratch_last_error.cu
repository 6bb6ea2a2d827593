
#include <cstdio>
#include <cuda_runtime.h>
static __global__ void kernel() {}
static void provoke() { (void)cudaGetLastError(); (void)cudaMemcpy(NULL, NULL, 1, (cudaMemcpyKind)99); }
#define TRY(call) do { provoke(); cudaError_t a = cudaPeekAtLastError(); cudaError_t r = (call); \
    printf("%-70s returns %d last %d -> %d\n", #call, r, a, cudaPeekAtLastError()); } while (0)
static cudaError_t launch()
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    config.attrs = &early;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel);
}
int main()
{
    int device, value;
    void *memory, *seen;
    static char page[8192];
    cudaMalloc(&memory, 1000);
    char *aligned = (char *)(((size_t)page + 4095) / 4096 * 4096);
    cudaHostRegister(aligned, 4096, cudaHostRegisterMapped | cudaHostRegisterPortable);
    cudaPointerAttributes found;
    cudaFuncAttributes attributes;
    cudaStreamCaptureStatus capture;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    printf("runtime %d\n", CUDART_VERSION);
    TRY(cudaGetDevice(&device));
    TRY(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    TRY(cudaPointerGetAttributes(&found, memory));
    TRY(cudaPointerGetAttributes(&found, page));
    TRY(cudaStreamIsCapturing(0, &capture));
    TRY(cudaStreamIsCapturing(stream, &capture));
    TRY(cudaHostGetDevicePointer(&seen, aligned, 0));
    TRY(cudaFuncGetAttributes(&attributes, kernel));
    TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
    TRY((kernel<<<1, 32>>>(), cudaPeekAtLastError()));
    TRY(launch());
    TRY(cudaMemcpyAsync(memory, (char *)memory + 500, 400, cudaMemcpyDeviceToDevice, stream));
    TRY(cudaMemsetAsync(memory, 0, 400, stream));
    TRY(cudaStreamSynchronize(0));
    TRY(cudaStreamQuery(stream));
    TRY(cudaDeviceSynchronize());
    provoke();
    kernel<<<1, 32>>>();
    TRY(cudaStreamQuery(0));
    return 0;
}
