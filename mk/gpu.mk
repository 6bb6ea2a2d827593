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
GPU_TESTS   = gpu_twins gpu_pages gpu_values gpu_close gpu_narrow gpu_engines gpu_flip gpu_small gpu_array gpu_argsort gpu_file gpu_graph gpu_hostile
included    = $(wildcard $(shell sed -n 's/^ *\# *include "\([^"]*\)".*/\1/p' $(1)))
with_all    = $(if $(filter-out $(1),$(call included,$(1))),$(call with_all,$(sort $(1) $(call included,$(1)))),$(1))
VERIFIED    = $(call with_all,$(sort $(foreach room,$(GPU_ROOMS),$(wildcard $(addprefix $(call folder,$(room))/,*.c *.h *.cu *.cuh))) \
              $(GPU_TESTS:%=tests/gpu/%.c) tests/gpu/gpu_ways.cu tests/gpu/check_gpu.sh))
gpu-hash:
	@{ sha256sum $(VERIFIED); grep -E '^ *((C|CXX|CPP|NVCC)_FLAGS|GPU_ARCHS) +[:?]=' Makefile; } | \
	    sha256sum | cut -d ' ' -f 1

ifeq ($(CUDA),1)
# The test of flipped bits intercepts the calls of stages.
$(B)/gpu_flip $(WIDTHS:%=$(B)/gpu_flip-%): WRAPS := -Wl,--wrap=gs_count_bins_gpu,--wrap=gs_scatter_bins_gpu,--wrap=gs_gpu_buffers_emit
# The test of a small GPU intercepts calls to the CUDA runtime.
$(B)/gpu_small: WRAPS := -Wl,--wrap=cudaDeviceGetAttribute,--wrap=cudaFuncSetAttribute
# That of a caller's arrays counts allocations.
$(B)/gpu_array: WRAPS := -Wl,--wrap=cudaMalloc,--wrap=cudaHostAlloc,--wrap=cudaHostRegister
$(GPU_TESTS:%=$(B)/%): $(B)/gpu_%: tests/gpu/gpu_%.c $(OBJECTS) build/tools/data/dist.o $(B)/flags
	$(call quiet,UNIT)$(CC) $(CPP_FLAGS) $(CPPFLAGS) $(C_FLAGS) $(CFLAGS) $(LDFLAGS) $(WRAPS) $< $(OBJECTS) build/tools/data/dist.o $(LIBS) -o $@
$(WIDTHS:%=$(B)/gpu_flip-%): $(B)/gpu_flip-%: tests/gpu/gpu_flip.c $(B)/unit_%.a $(B)/flags
	$(call quiet,UNIT)$(CC) -DGS_BITS=$* $(CPP_FLAGS) $(CPPFLAGS) $(C_FLAGS) $(CFLAGS) $(LDFLAGS) $(WRAPS) $< $(B)/unit_$*.a $(LIBS) -o $@

# Beside CUB, for one architecture at a time, as CUB compiles slowly: the call, and each way to sort.
BENCH_ARCH ?= sm_90
define beside_cub
$(B)/bench_gpu$(1).o $(B)/cub_sorts$(1).o: $(B)/%$(1).o: tests/bench/%.cu
$(B)/gpu_ways$(1).o: tests/gpu/gpu_ways.cu
$(B)/bench_gpu$(1).o $(B)/cub_sorts$(1).o $(B)/gpu_ways$(1).o: $(B)/flags
	$$(call quiet,NVCC)$$(NVCC) -std=c++17 -O3 -arch=$$(BENCH_ARCH) $(1:-%=-DGS_BITS=%) -Xcompiler -fopenmp -I. -MMD -MP -c $$(filter %.cu,$$^) -o $$@
$(B)/bench_gpu_call$(1).o: tests/bench/bench_gpu_call.c $(B)/flags
	$$(call quiet,CC)$$(CC) $(1:-%=-DGS_BITS=%) $$(CPP_FLAGS) $$(CPPFLAGS) $$(C_FLAGS) $$(CFLAGS) -c $$< -o $$@
$(B)/bench-gpu$(1): $(B)/bench_gpu$(1).o $(B)/bench_gpu_call$(1).o
$(B)/gpu_ways$(1): $(B)/gpu_ways$(1).o
$(B)/bench-gpu$(1) $(B)/gpu_ways$(1): $(B)/cub_sorts$(1).o $(2) build/tools/data/dist.o
	$$(call quiet,LINK)$$(CXX) $$(CFLAGS) -fopenmp $$(LDFLAGS) $$(filter %.o,$$^) $$(LIBS) -o $$@
endef
$(eval $(call beside_cub,,$(OBJECTS)))
$(foreach width,$(WIDTHS),$(eval $(call beside_cub,-$(width),$(filter $(B)/w$(width)/sort/device/% %/gpu_array.o,$(call wide_objects,$(width))) \
    $(call objects,$(B),$(call present,$(COMMON) types)) $(ONCE))))

BENCHES := $(B)/bench-gpu $(WIDTHS:%=$(B)/bench-gpu-%)
WAYS    := $(B)/gpu_ways $(WIDTHS:%=$(B)/gpu_ways-%)
bench-gpu: $(BENCHES)
	set -e; for bench in $(BENCHES); do $$bench $(BENCH); done

check-gpu: all tools $(B)/installed/lib/pkgconfig/gsort.pc $(GPU_TESTS:%=$(B)/%) $(WIDTHS:%=$(B)/gpu_flip-%) $(BENCHES) $(WAYS) units
	$(need_bats)
	BATS='$(BATS)' $(filter-out $(BATS) --recursive,$(SUITE)) tests/gpu/check_gpu.sh $(B) $(WIDTHS)

# Needs DEBUG=1: only that build has CUDA calls that can be made to fail.
inject-gpu: $(B)/gsort $(B)/gpu_file $(TOOLS)
	@[ '$(DEBUG)' = 1 ] || { echo 'make $@ needs DEBUG=1' >&2; exit 2; }
	tests/gpu/inject_gpu.sh $(B)/gsort build/keygen build/reference $(B)/gpu_file
else
bench-gpu check-gpu inject-gpu:
	@echo 'make $@ needs a build with CUDA: install the CUDA toolkit, or say CUDA=1' >&2; exit 2
endif
