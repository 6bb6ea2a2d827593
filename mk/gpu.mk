# gpu.mk -- tests and benchmarks that need a GPU, and which sources they verified
# SPDX-License-Identifier: MIT
##
## On a GPU
##   check-gpu        the suite with GPU engines, resumed if cut short; to tests/gpu-verified.txt
##   inject-gpu       with DEBUG=1: every CUDA call fails once
##   bench-gpu        keys in device memory, beside CUB; BENCH="--sizes=LOG2,... --stages"
##   gpu-hash         what tests/gpu-verified.txt has to say of these sources
.PHONY: check-gpu inject-gpu bench-gpu gpu-hash

# What a run on a GPU verifies: the sources of the GPU's rooms and tests, and all that these include.
GPU_TESTS   = gpu_twins gpu_pages gpu_values gpu_close gpu_narrow gpu_engines gpu_flip gpu_small gpu_array gpu_argsort gpu_file gpu_graph
included    = $(wildcard $(shell sed -n 's/^ *\# *include "\([^"]*\)".*/\1/p' $(1)))
with_all    = $(if $(filter-out $(1),$(call included,$(1))),$(call with_all,$(sort $(1) $(call included,$(1)))),$(1))
VERIFIED    = $(call with_all,$(sort $(foreach room,$(GPU_ROOMS),$(wildcard $(addprefix $(call folder,$(room))/,*.c *.h *.cu *.cuh))) \
              $(GPU_TESTS:%=tests/gpu/%.c) tests/gpu/check_gpu.sh))
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

# CUB compiles slowly, so only for one architecture at a time.
BENCH_ARCH ?= sm_90
define gpu_bench
$(B)/bench_gpu_call$(1).o: tests/bench/bench_gpu_call.c $(B)/flags
	$$(call quiet,CC)$$(CC) $(1:-%=-DGS_BITS=%) $$(CPP_FLAGS) $$(CPPFLAGS) $$(C_FLAGS) $$(CFLAGS) -c $$< -o $$@
$(B)/bench-gpu$(1): tests/bench/bench_gpu.cu tests/bench/bench_gpu_keys.cuh $(B)/bench_gpu_call$(1).o $(2) build/tools/data/dist.o $(B)/flags
	$$(call quiet,NVCC)$$(NVCC) -std=c++17 -O3 -arch=$$(BENCH_ARCH) $(1:-%=-DGS_BITS=%) -Xcompiler -fopenmp -I. -c $$< -o $$@.o
	$$(call quiet,LINK)$$(CXX) $$(CFLAGS) -fopenmp $$(LDFLAGS) $$@.o $$(filter %.o,$$^) $$(LIBS) -o $$@
endef
$(eval $(call gpu_bench,,$(OBJECTS)))
$(foreach width,$(WIDTHS),$(eval $(call gpu_bench,-$(width),$(filter $(B)/w$(width)/sort/device/% %/gpu_array.o,$(call wide_objects,$(width))) \
    $(call objects,$(B),$(call present,$(COMMON) types)) $(ONCE))))

BENCHES := $(B)/bench-gpu $(WIDTHS:%=$(B)/bench-gpu-%)
bench-gpu: $(BENCHES)
	set -e; for bench in $(BENCHES); do $$bench $(BENCH); done

check-gpu: all tools $(B)/installed/lib/pkgconfig/gsort.pc $(GPU_TESTS:%=$(B)/%) $(WIDTHS:%=$(B)/gpu_flip-%) $(BENCHES) units
	$(need_bats)
	BATS='$(BATS)' $(filter-out $(BATS) --recursive,$(SUITE)) tests/gpu/check_gpu.sh $(B)/gpu_twins $(B)/bench-gpu \
	    $(addprefix $(B)/,gpu_engines gpu_flip gpu_values gpu_pages gpu_narrow gpu_small gpu_close gpu_array gpu_argsort gpu_graph) $(WIDTHS:%=$(B)/bench-gpu-%)

# Needs DEBUG=1: only that build has CUDA calls that can be made to fail.
inject-gpu: $(B)/gsort $(B)/gpu_file $(TOOLS)
	@[ '$(DEBUG)' = 1 ] || { echo 'make $@ needs DEBUG=1' >&2; exit 2; }
	tests/gpu/inject_gpu.sh $(B)/gsort build/keygen build/reference $(B)/gpu_file
else
bench-gpu check-gpu inject-gpu:
	@echo 'make $@ needs a build with CUDA: install the CUDA toolkit, or say CUDA=1' >&2; exit 2
endif
