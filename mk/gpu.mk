# gpu.mk -- tests and benchmarks that need a GPU, and which sources they verified
# SPDX-License-Identifier: MIT
##
## On a GPU
##   check-gpu        the suite with GPU engines, resumed if cut short; to tests/gpu-verified.txt
##   inject-gpu       with DEBUG=1: every CUDA call fails once
##   bench-gpu        keys in device memory, beside CUB; BENCH="--sizes=LOG2,... --no-wait"
##   gpu-hash         what tests/gpu-verified.txt has to say of these sources
.PHONY: check-gpu inject-gpu bench-gpu gpu-hash

# What a run on a GPU verifies: the sources of the GPU's rooms and tests, and all that these include.
GPU_TESTS   = twins pages values close narrow engines flip small array argsort file graph hostile
included    = $(wildcard $(shell sed -n 's/^ *\# *include "\([^"]*\)".*/\1/p' $(1)))
with_all    = $(if $(filter-out $(1),$(call included,$(1))),$(call with_all,$(sort $(1) $(call included,$(1)))),$(1))
VERIFIED    = $(call with_all,$(sort $(shell find $(sort $(dir $(GPU))) -name '*.[ch]' -o -name '*.cu*') \
              $(GPU_TESTS:%=tests/gpu/gpu_%.c) tests/gpu/gpu_ways.cu tests/gpu/check_gpu.sh))
gpu-hash:
	@{ sha256sum $(VERIFIED); sed -nE '/^ *((C|CXX|CPP|NVCC)_FLAGS|GPU_ARCHS) +[:?]=/{:a;p;/\\$$/{n;ba}}' Makefile; } | \
	    sha256sum | cut -d ' ' -f 1

ifeq ($(CUDA),1)
# The test of flipped bits intercepts the calls of stages.
FLIPS := $(B)/gpu_flip $(B)/gpu_flip-64 $(B)/gpu_flip-128
$(FLIPS): private LDFLAGS += -Wl,--wrap=gs_count_bins_gpu,--wrap=gs_scatter_bins_gpu,--wrap=gs_gpu_buffers_emit
# The test of a small GPU intercepts calls to the CUDA runtime.
$(B)/gpu_small: private LDFLAGS += -Wl,--wrap=cudaDeviceGetAttribute,--wrap=cudaFuncSetAttribute
# That of a caller's arrays counts allocations.
$(B)/gpu_array: private LDFLAGS += -Wl,--wrap=cudaMalloc,--wrap=cudaHostAlloc,--wrap=cudaHostRegister
gpu_test = $(call quiet,UNIT)$(CC) $(c_flags) $(LDFLAGS) $(filter %.c %.o %.a,$^) $(LIBS) -o $@
$(GPU_TESTS:%=$(B)/gpu_%): $(B)/gpu_%: tests/gpu/gpu_%.c $(OBJECTS) build/tools/data/dist.o $(B)/flags
	$(gpu_test)
$(B)/gpu_flip-64 $(B)/gpu_flip-128: $(B)/gpu_flip-%: tests/gpu/gpu_flip.c $(B)/unit_%.a $(B)/flags
	$(gpu_test)

# Beside CUB, for one architecture at a time, as CUB compiles slowly: the call, and each way to sort.
BENCH_ARCH ?= sm_90
BENCHES := $(B)/bench-gpu $(B)/bench-gpu-64 $(B)/bench-gpu-128
WAYS    := $(BENCHES:$(B)/bench-gpu%=$(B)/gpu_ways%)
$(B)/bench-gpu $(B)/gpu_ways: $(B)/bench-gpu.cub.o $(OBJECTS)
device_objects = $(filter %/gpu_array.o $(B)/w$(1)/sort/device/%,$(WIDE_$(1)_OBJECTS)) $(GROUND)
$(B)/bench-gpu-64 $(B)/gpu_ways-64: $(B)/bench-gpu-64.cub.o $(call device_objects,64)
$(B)/bench-gpu-128 $(B)/gpu_ways-128: $(B)/bench-gpu-128.cub.o $(call device_objects,128)
$(BENCHES:%=%.call.o): tests/bench/bench_gpu_call.c $(B)/flags
	$(compile_c)
with_cub = $(call quiet,NVCC)$(NVCC) -std=c++17 -O3 -arch=$(BENCH_ARCH) $(OWN_FLAGS) -Xcompiler -fopenmp -I. -MMD -MP -c $< -o $@
$(BENCHES:%=%.o): tests/bench/bench_gpu.cu $(B)/flags
	$(with_cub)
$(BENCHES:%=%.cub.o): tests/bench/cub_sorts.cu $(B)/flags
	$(with_cub)
$(WAYS:%=%.o): tests/gpu/gpu_ways.cu $(B)/flags
	$(with_cub)
$(BENCHES): %: %.o %.call.o
$(WAYS): %: %.o
$(BENCHES) $(WAYS): build/tools/data/dist.o
	$(call quiet,LINK)$(CXX) $(CFLAGS) -fopenmp $(LDFLAGS) $(filter %.o,$^) $(LIBS) -o $@
bench-gpu: $(BENCHES)
	set -e; for bench in $(BENCHES); do $$bench $(BENCH); done

check-gpu: all tools units $(B)/installed/lib/pkgconfig/gsort.pc $(GPU_TESTS:%=$(B)/gpu_%) $(FLIPS) $(BENCHES) $(WAYS)
	$(need_bats)
	BATS='$(BATS)' $(SUITE) tests/gpu/check_gpu.sh $(B)

# Needs DEBUG=1: only that build has CUDA calls that can be made to fail.
inject-gpu: $(B)/gsort $(B)/gpu_file $(TOOLS)
	@[ '$(DEBUG)' = 1 ] || { echo 'make $@ needs DEBUG=1' >&2; exit 2; }
	tests/gpu/inject_gpu.sh $(B)/gsort build/keygen build/reference $(B)/gpu_file
else
bench-gpu check-gpu inject-gpu:
	@echo 'make $@ needs a build with CUDA: install the CUDA toolkit, or say CUDA=1' >&2; exit 2
endif
