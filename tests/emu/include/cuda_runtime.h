/* Emulated CUDA C++ for host compilers: see README.md */
#ifndef EMU_CUDA_RUNTIME_H
#define EMU_CUDA_RUNTIME_H
#include "cuda_runtime_api.h"
#ifdef __cplusplus
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tuple>
#include <type_traits>
#include <utility>
#include <new>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __cluster_dims__(...)

struct uint2 { uint32_t x, y; };
struct alignas(16) uint4 { uint32_t x, y, z, w; };
struct int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct uint3 { uint32_t x, y, z; };
struct alignas(16) ulonglong2 { unsigned long long x, y; };
static inline uint2 make_uint2(uint32_t x, uint32_t y) { return {x, y}; }
static inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w) { return {x, y, z, w}; }
static inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
static inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

struct emu_index { uint3 thread, block; };
extern "C" {
extern struct emu_index *emu_self;
extern uint3 emu_block_dim, emu_grid_dim;
enum { EMU_SHFL, EMU_SHFL_UP, EMU_SHFL_DOWN, EMU_SHFL_XOR, EMU_BALLOT, EMU_ALL, EMU_ANY, EMU_MATCH_ANY,
       EMU_MIN, EMU_MAX, EMU_UMIN, EMU_UMAX, EMU_ADD, EMU_AND, EMU_OR, EMU_XOR, EMU_SYNC };
uint64_t emu_warp(int op, uint32_t mask, uint64_t value, int param, int width);
enum { EMU_BAR, EMU_BAR_AND, EMU_BAR_OR, EMU_BAR_COUNT };
int emu_barrier(int op, int predicate);
void emu_named_barrier(int id, int threads, int wait);
void emu_yield(int block);      /* 0: maybe let another thread run (random schedules); 1: another block */
void *emu_dynamic_shared(void);
void *emu_shared_base(size_t offset);
size_t emu_shared_offset(size_t bytes);
float emu_approximate(float exact); /* a unit or two in the last place away, under EMU_SEED */
long long emu_clock(void);
}
#define threadIdx (emu_self->thread)
#define blockIdx (emu_self->block)
#define blockDim emu_block_dim
#define gridDim emu_grid_dim
#define warpSize 32

static inline void __syncthreads() { emu_barrier(EMU_BAR, 0); }
static inline int __syncthreads_and(int p) { return emu_barrier(EMU_BAR_AND, p); }
static inline int __syncthreads_or(int p) { return emu_barrier(EMU_BAR_OR, p); }
static inline int __syncthreads_count(int p) { return emu_barrier(EMU_BAR_COUNT, p); }
static inline void __syncwarp(unsigned mask = 0xffffffffU) { emu_warp(EMU_SYNC, mask, 0, 0, 32); }
static inline unsigned emu_lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31; }
static inline unsigned __activemask() { return 1U << emu_lane(); }
template <class T> static inline uint64_t emu_bits(T v) { static_assert(sizeof(T) <= 8, ""); uint64_t b = 0; memcpy(&b, &v, sizeof v); return b; }
template <class T> static inline T emu_value(uint64_t b) { T v; memcpy(&v, &b, sizeof v); return v; }
template <class T> static inline T __shfl_sync(unsigned m, T v, int lane, int w = 32) { return emu_value<T>(emu_warp(EMU_SHFL, m, emu_bits(v), lane, w)); }
template <class T> static inline T __shfl_up_sync(unsigned m, T v, unsigned d, int w = 32) { return emu_value<T>(emu_warp(EMU_SHFL_UP, m, emu_bits(v), (int)d, w)); }
template <class T> static inline T __shfl_down_sync(unsigned m, T v, unsigned d, int w = 32) { return emu_value<T>(emu_warp(EMU_SHFL_DOWN, m, emu_bits(v), (int)d, w)); }
template <class T> static inline T __shfl_xor_sync(unsigned m, T v, int d, int w = 32) { return emu_value<T>(emu_warp(EMU_SHFL_XOR, m, emu_bits(v), d, w)); }
static inline unsigned __ballot_sync(unsigned m, int p) { return (unsigned)emu_warp(EMU_BALLOT, m, p != 0, 0, 32); }
static inline int __all_sync(unsigned m, int p) { return (int)emu_warp(EMU_ALL, m, p != 0, 0, 32); }
static inline int __any_sync(unsigned m, int p) { return (int)emu_warp(EMU_ANY, m, p != 0, 0, 32); }
template <class T> static inline unsigned __match_any_sync(unsigned m, T v) { return (unsigned)emu_warp(EMU_MATCH_ANY, m, emu_bits(v), 0, 32); }
static inline unsigned __reduce_min_sync(unsigned m, unsigned v) { return (unsigned)emu_warp(EMU_UMIN, m, v, 0, 32); }
static inline unsigned __reduce_max_sync(unsigned m, unsigned v) { return (unsigned)emu_warp(EMU_UMAX, m, v, 0, 32); }
static inline int __reduce_min_sync(unsigned m, int v) { return (int)emu_warp(EMU_MIN, m, (unsigned)v, 0, 32); }
static inline int __reduce_max_sync(unsigned m, int v) { return (int)emu_warp(EMU_MAX, m, (unsigned)v, 0, 32); }
static inline unsigned __reduce_add_sync(unsigned m, unsigned v) { return (unsigned)emu_warp(EMU_ADD, m, v, 0, 32); }
static inline unsigned __reduce_and_sync(unsigned m, unsigned v) { return (unsigned)emu_warp(EMU_AND, m, v, 0, 32); }
static inline unsigned __reduce_or_sync(unsigned m, unsigned v) { return (unsigned)emu_warp(EMU_OR, m, v, 0, 32); }
static inline unsigned __reduce_xor_sync(unsigned m, unsigned v) { return (unsigned)emu_warp(EMU_XOR, m, v, 0, 32); }
static inline void __threadfence() { __asm__ volatile("" ::: "memory"); }
static inline void __threadfence_block() { __asm__ volatile("" ::: "memory"); }
static inline void __threadfence_system() { __sync_synchronize(); }
static inline void __nanosleep(unsigned) { emu_yield(1); }
static inline void __trap() { abort(); }

template <class T> struct emu_same { typedef T type; };
#define EMU_ARG typename emu_same<T>::type
#define EMU_ATOMIC(name, expression)                                                                 \
    template <class T> static inline T name(T *p, EMU_ARG v)                                           \
    { emu_yield(0); __asm__ volatile("" ::: "memory"); T old = *p; *p = (T)(expression); __asm__ volatile("" ::: "memory"); return old; } \
    template <class T> static inline T name##_block(T *p, EMU_ARG v) { return name(p, v); }            \
    template <class T> static inline T name##_system(T *p, EMU_ARG v) { return name(p, v); }
EMU_ATOMIC(atomicAdd, old + v)
EMU_ATOMIC(atomicSub, old - v)
EMU_ATOMIC(atomicMin, v < old ? v : old)
EMU_ATOMIC(atomicMax, v > old ? v : old)
EMU_ATOMIC(atomicAnd, old & v)
EMU_ATOMIC(atomicOr, old | v)
EMU_ATOMIC(atomicXor, old ^ v)
EMU_ATOMIC(atomicExch, v)
EMU_ATOMIC(atomicInc, old >= v ? 0 : old + 1)
template <class T> static inline T atomicCAS(T *p, EMU_ARG c, EMU_ARG v)
{ emu_yield(0); __asm__ volatile("" ::: "memory"); T old = *p; if (old == c) *p = v; __asm__ volatile("" ::: "memory"); return old; }

#define EMU_LOAD(name) template <class T> static inline T name(const T *p) { return *(const volatile T *)p; }
#define EMU_LOAD4(name) EMU_LOAD(name) static inline uint4 name(const uint4 *p) { return *p; } static inline uint2 name(const uint2 *p) { return *p; } \
    static inline int4 name(const int4 *p) { return *p; } static inline ulonglong2 name(const ulonglong2 *p) { return *p; }
EMU_LOAD4(__ldg) EMU_LOAD4(__ldcs) EMU_LOAD4(__ldca) EMU_LOAD4(__ldcg) EMU_LOAD4(__ldlu) EMU_LOAD4(__ldcv)
#define EMU_STORE(name) template <class T> static inline void name(T *p, EMU_ARG v) { *p = v; }
EMU_STORE(__stcs) EMU_STORE(__stcg) EMU_STORE(__stwb) EMU_STORE(__stwt)

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
static inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (x >> i & 1U) << (31 - i); return r; }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) { s &= 31; return (unsigned)(((uint64_t)hi << 32 | lo) << s >> 32); }
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) { s &= 31; return (unsigned)(((uint64_t)hi << 32 | lo) >> s); }
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{ uint64_t v = (uint64_t)y << 32 | x; unsigned r = 0; for (int i = 0; i < 4; i++) r |= (unsigned)(v >> (s >> 4 * i & 7) * 8 & 0xff) << 8 * i; return r; }
static inline float __fdividef(float a, float b) { return emu_approximate(a / b); }
static inline float __frcp_rn(float a) { return 1.0F / a; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fdiv_rd(float a, float b) { double q = (double)a / b; float f = (float)q; return f > q ? nextafterf(f, -INFINITY) : f; }
static inline float __fmul_rd(float a, float b) { double q = (double)a * b; float f = (float)q; return f > q ? nextafterf(f, -INFINITY) : f; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __uint2float_ru(unsigned x) { float f = (float)x; return (double)f < x ? nextafterf(f, INFINITY) : f; }
static inline float __uint2float_rd(unsigned x) { float f = (float)x; return (double)f > x ? nextafterf(f, -INFINITY) : f; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline float __uint2float_rz(unsigned x) { return __uint2float_rd(x); }
static inline unsigned __float2uint_rd(float f) { return !(f > 0) ? 0 : f >= 4294967296.0F ? 0xffffffffU : (unsigned)floorf(f); }
static inline unsigned __float2uint_rz(float f) { return __float2uint_rd(f); }
static inline unsigned __float2uint_ru(float f) { return !(f > 0) ? 0 : ceilf(f) >= 4294967296.0F ? 0xffffffffU : (unsigned)ceilf(f); }
static inline unsigned __float2uint_rn(float f) { return !(f > 0) ? 0 : rintf(f) >= 4294967296.0F ? 0xffffffffU : (unsigned)rintf(f); }
static inline unsigned __float_as_uint(float f) { unsigned u; memcpy(&u, &f, 4); return u; }
static inline int __float_as_int(float f) { int u; memcpy(&u, &f, 4); return u; }
static inline float __uint_as_float(unsigned u) { float f; memcpy(&f, &u, 4); return f; }
static inline float __int_as_float(int u) { float f; memcpy(&f, &u, 4); return f; }
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
static inline size_t __cvta_generic_to_shared(const void *p) { return (size_t)p; }
static inline long long clock64() { return emu_clock(); }
static inline void __builtin_assume_() {}
#define EMU_MINMAX(A, B, R) static inline R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; } \
                            static inline R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
EMU_MINMAX(int, int, int) EMU_MINMAX(unsigned, unsigned, unsigned) EMU_MINMAX(int, unsigned, unsigned) EMU_MINMAX(unsigned, int, unsigned)
EMU_MINMAX(long, long, long) EMU_MINMAX(unsigned long, unsigned long, unsigned long) EMU_MINMAX(long, unsigned long, unsigned long) EMU_MINMAX(unsigned long, long, unsigned long)
EMU_MINMAX(long long, long long, long long) EMU_MINMAX(unsigned long long, unsigned long long, unsigned long long)
EMU_MINMAX(long long, unsigned long long, unsigned long long) EMU_MINMAX(unsigned long long, long long, unsigned long long)
EMU_MINMAX(float, float, float) EMU_MINMAX(double, double, double)

/* C++ conveniences of the runtime. */
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t n) { return cudaMalloc((void **)(void *)p, n); }
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t n) { return cudaMallocHost((void **)(void *)p, n); }
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t n, unsigned f) { return cudaHostAlloc((void **)(void *)p, n, f); }
template <class... P> static inline cudaError_t cudaFuncSetAttribute(void (*f)(P...), enum cudaFuncAttribute a, int v) { return cudaFuncSetAttribute((const void *)f, a, v); }
template <class... P> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, void (*f)(P...), int t, size_t s) { return cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, (const void *)f, t, s); }

template <class... P> struct emu_closure {
    void (*f)(P...);
    std::tuple<std::remove_cv_t<P>...> args;
    static void run(void *me) { emu_closure *c = (emu_closure *)me; std::apply(c->f, c->args); }
};
template <class... P>
static inline void emu_launch(const char *name, dim3 g, dim3 b, size_t shared, cudaStream_t stream, void (*f)(P...), typename emu_same<P>::type... args)
{
    typedef emu_closure<P...> closure;
    void *memory = malloc(sizeof(closure) + 64);
    closure *c = new ((void *)memory) closure{f, std::tuple<std::remove_cv_t<P>...>(args...)};
    struct emu_config config = {{g.x, g.y, g.z}, {b.x, b.y, b.z}, shared, stream, name};
    emu_launch_kernel(&config, (const void *)f, closure::run, c);
}
#include <new>
#endif
#endif
