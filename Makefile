# gsort: build, test, install. `make help` lists the targets.
# SPDX-License-Identifier: MIT
VERSION := 0.1.0

# Optional dependencies: detected when unset; 0 leaves one out, 1 requires it. `make install` reuses
# the settings of the last build: under sudo, PATH may lack nvcc, and nobody repeats CC= or CFLAGS=.
ifeq ($(MAKECMDGOALS),install)
  -include build/last.mk
endif
PKG_CONFIG ?= pkg-config
NVCC       ?= nvcc
CXX        ?= g++
have = $(shell command -v $(1) >/dev/null 2>&1 && echo 1 || echo 0)
HIGHWAY ?= $(shell $(PKG_CONFIG) --exists "libhwy-contrib >= 1.0" 2>/dev/null && command -v $(CXX) >/dev/null 2>&1 && echo 1 || echo 0)
CUDA    ?= $(call have,$(NVCC))
DEBUG   ?= 0
V       ?= 0

check_switch = $(if $(filter 0 1,$($(1))),,$(error $(1)=$($(1)): must be 0 or 1))
$(foreach switch,CUDA HIGHWAY DEBUG V,$(call check_switch,$(switch)))
ifeq ($(HIGHWAY),1)
  ifneq ($(shell $(PKG_CONFIG) --exists "libhwy-contrib >= 1.0" 2>/dev/null && echo 1),1)
    $(error HIGHWAY=1, but $(PKG_CONFIG) finds no libhwy-contrib 1.0 or newer: install libhwy-dev and pkg-config)
  endif
  ifneq ($(call have,$(CXX)),1)
    $(error HIGHWAY=1, but there is no C++ compiler $(CXX): install g++)
  endif
endif
NVCC_FOUND = $(or $(if $(filter 1,$(CUDA)),$(shell command -v $(NVCC))),$(NVCC))
ifeq ($(CUDA),1)
  ifneq ($(call have,$(NVCC)),1)
    $(error CUDA=1, but there is no $(NVCC): install the CUDA toolkit or say where it is, NVCC=...)
  endif
endif

CFLAGS    ?= -O3 -g
CXXFLAGS  ?= -O2 -g
PREFIX    ?= /usr/local
PROGRAM   ?= gsort
BATS      ?= bats
SANITIZE  :=
CONFIG    := cuda$(CUDA)-highway$(HIGHWAY)$(if $(filter 1,$(DEBUG)),-debug)$(CONFIG_SUFFIX)
B         := build/$(CONFIG)

# Set WERROR= if another compiler has more warnings. Without optimization, GCC's intrinsics are
# macros, which -Wsign-conversion complains about.
WERROR    ?= -Werror
WARNINGS  := -Wall -Wextra -Wpedantic -Wshadow $(WERROR) \
             $(if $(filter-out -O0,$(filter -O%,$(CFLAGS))),,-Wno-sign-conversion)
C_FLAGS   := -std=c11 $(WARNINGS) -Wconversion -fopenmp
CXX_FLAGS := -std=c++17 $(WARNINGS) -fno-exceptions -fno-rtti
CPP_FLAGS := -I. -D_GNU_SOURCE -DGS_VERSION='"$(VERSION)"' -DGS_CUDA=$(CUDA) -DGS_HIGHWAY=$(HIGHWAY) -MMD -MP
LIBS      := -lpthread -lm
ifeq ($(DEBUG),1)
  CPP_FLAGS += -DGS_DEBUG=1
endif

# The rooms of the house, from the ground up (sort/README.md); a source in none of them is an error.
ROOMS    := common keys bin bin/u32 split run merge cpu ways pipeline engines api external cli
GPU_ROOMS := device device/kernels gpu engines/gpu
folder   = $(if $(filter common cli,$(1)),$(1),sort/$(1))
sources  = $(foreach room,$(1),$(wildcard $(call folder,$(room))/*.$(2)))
SOURCES  := $(filter-out cli/main.c cli/openmp_environment.c,$(call sources,$(ROOMS),c))
HOUSE    := $(shell find common sort cli -name '*.c' -o -name '*.cc' -o -name '*.cu')
ASTRAY   := $(filter-out $(foreach kind,c cc cu,$(call sources,$(ROOMS) $(GPU_ROOMS),$(kind))),$(HOUSE))
$(if $(ASTRAY),$(error $(ASTRAY): in no room that the Makefile knows))
objects  = $(patsubst %,$(B)/%.o,$(basename $(1)))
OBJECTS  := $(call objects,$(filter-out %_absent.c,$(SOURCES)))
ifeq ($(HIGHWAY),1)
  OBJECTS   += $(call objects,$(call sources,$(ROOMS),cc))
  LIBS      += $(shell $(PKG_CONFIG) --libs libhwy-contrib libhwy)
  CPP_FLAGS += $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags libhwy-contrib))
endif
ifeq ($(CUDA),1)
  GPU_SOURCES := $(filter-out %_absent.c,$(call sources,$(GPU_ROOMS),c)) $(call sources,$(GPU_ROOMS),cu)
  OBJECTS  += $(call objects,$(GPU_SOURCES))
  CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(realpath $(shell command -v $(NVCC))))
  CPP_FLAGS += -isystem $(CUDA_HOME)/include
  LIBS     += -L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/lib -lcudart_static -ldl -lrt
  # Machine code for each major architecture that nvcc knows: it runs on its minor ones, too. On GPUs
  # newer than all of these, the driver compiles the last one's PTX at the first run.
  GPU_ARCHS ?= $(filter $(shell $(NVCC) --list-gpu-code 2>/dev/null),sm_75 sm_80 sm_90 sm_100 sm_110 sm_120)
  NEWEST    := $(patsubst sm_%,%,$(lastword $(GPU_ARCHS)))
  NVCC_FLAGS := -std=c++17 -O3 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror,-fno-threadsafe-statics --threads 0 \
                $(foreach arch,$(patsubst sm_%,%,$(GPU_ARCHS)),-gencode arch=compute_$(arch),code=sm_$(arch)) \
                -gencode arch=compute_$(NEWEST),code=compute_$(NEWEST)
else
  OBJECTS  += $(call objects,$(filter %_absent.c,$(call sources,$(ROOMS) $(GPU_ROOMS),c)))
endif
MAIN     := $(B)/cli/main.o $(B)/cli/openmp_environment.o
# GCC's OpenMP runtime, static: a shared one reads the environment before openmp_environment.c runs.
STATIC_GOMP := $(if $(findstring __clang__,$(shell $(CC) -dM -E - </dev/null)),,$(filter /%,$(shell $(CC) -print-file-name=libgomp.a)))
TOOLS    := build/keygen build/reference build/fuzz_options build/peak build/faults.so build/refuse.so
UNITS    := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))

quiet = $(if $(filter 1,$(V)),,@printf '  %-5s %s\n' '$(1)' '$@';)

.PHONY: all help check check-gpu check-expensive check-faults check-kill torture fuzz lint asan valgrind \
        bench bench-cpu bench-busy bench-pipes bench-external bench-files bench-gpu bench-tables inject-gpu demo install uninstall dist clean gpu-hash units FORCE
all: gsort $(TOOLS)

help:
	@echo 'all              ./gsort and the test tools (default)'
	@echo 'check            unit tests and Bats suite on the CPU, BATS_JOBS=$(BATS_JOBS) files at a time; TESTS=FILE; needs bats'
	@echo 'check-expensive  the same with the long tests'
	@echo 'check-gpu        the same with GPU engines, resumed where it was cut short; writes tests/gpu-verified.txt'
	@echo 'inject-gpu       with DEBUG=1: every CUDA call fails once'
	@echo 'check-faults     every call to the system made to fail once, in every mode; minutes'
	@echo 'check-kill       kill -9 at N=1000 random moments; SEED=n'
	@echo 'torture          random runs and faults for MINUTES=10, compared with the reference; SEED=n'
	@echo 'fuzz             the parsers fuzzed, for MINUTES=10 each; needs clang and its libFuzzer'
	@echo 'lint             clang-format, clang-tidy, cppcheck, shellcheck, layering'
	@echo 'asan, valgrind   the suite under ASan and UBSan; a quick part under valgrind'
	@echo 'bench            speed in memory and from file to file; BENCH="-d DIR KEYS..."'
	@echo 'bench-cpu        keys in memory beside other CPU sorts, then AVX2 alone; BENCH="-t THREADS LOG2_N..."'
	@echo 'bench-tables     the engines against lists, keys and samples, to data/bench; PLOTS=1 draws them'
	@echo 'bench-files      file to file on every device, beside cp and peers; BENCH="-d DIR KEYS..."'
	@echo 'bench-gpu        keys in device memory, beside CUB; BENCH="--sizes=LOG2,... --stages"'
	@echo 'bench-busy       small sorts while another program works; BENCH="-d DIR KEYS..."'
	@echo 'bench-pipes      from a fast and a slow producer, to its end and behind it; BENCH="-d DIR -r MB KEYS..."'
	@echo 'bench-external   larger than memory, and merges, beside cp; BENCH="-d DIR -s MIB -r RATIO"'
	@echo 'demo             sort generated keys and check the result'
	@echo 'install, uninstall   PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) PROGRAM=$(PROGRAM)'
	@echo 'units            the unit tests, built and not run'
	@echo 'dist, clean      a tarball of HEAD; all that was built, away'
	@echo 'gpu-hash         what tests/gpu-verified.txt has to say of these sources'
	@echo 'Switches: CUDA=0|1 HIGHWAY=0|1 DEBUG=0|1 V=0|1 WERROR=; now CUDA=$(CUDA) HIGHWAY=$(HIGHWAY)'

# ./gsort is the configuration built last; build/last.mk keeps the variables given to that make, as
# arguments or in its environment.
quoted = $(subst ','"'"',$(1))
GIVEN := $(foreach name,CC CXX CPPFLAGS CFLAGS CXXFLAGS LDFLAGS WERROR PKG_CONFIG CUDA_HOME GPU_ARCHS,$(if \
             $(filter command environment,$(origin $(name))),$(name)))
gsort: $(B)/gsort FORCE
	@cmp -s $< $@ || { cp $< $@.new && mv $@.new $@; }
	@$(if $(filter install,$(MAKECMDGOALS)),[ -e build/last.mk ] ||) printf '%s\n' 'CUDA ?= $(CUDA)' 'HIGHWAY ?= $(HIGHWAY)' \
	    'NVCC ?= $(NVCC_FOUND)' $(foreach name,$(GIVEN),'$(name) := $(call quoted,$(value $(name)))') >build/last.mk

$(B)/gsort: $(MAIN) $(OBJECTS)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(SANITIZE) -fopenmp $(LDFLAGS) $^ $(LIBS) $(STATIC_GOMP:%=% -ldl) -o $@

# The flags of the last build: if CFLAGS or LDFLAGS change, everything is rebuilt.
FLAGS_NOW := $(CC) $(CPPFLAGS) $(CPP_FLAGS) $(C_FLAGS) $(CFLAGS) $(SANITIZE) $(CXX) $(CXX_FLAGS) $(CXXFLAGS) $(NVCC_FLAGS) \
             $(LDFLAGS) $(LIBS)
$(B)/flags: FORCE
	@mkdir -p $(@D); echo '$(call quoted,$(FLAGS_NOW))' | cmp -s - $@ || echo '$(call quoted,$(FLAGS_NOW))' >$@

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(CPP_FLAGS) $(CPPFLAGS) $(C_FLAGS) $(CFLAGS) $(SANITIZE) -c $< -o $@

# Its one loop takes a fifth longer if it crosses a cache line, which any code before it can cause.
$(B)/sort/bin/cache_sort_values.o: C_FLAGS += -falign-loops=32

$(B)/%.o: %.cc $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,CXX)$(CXX) $(CPP_FLAGS) $(CPPFLAGS) $(CXX_FLAGS) $(CXXFLAGS) $(SANITIZE) -c $< -o $@

$(B)/%.o: %.cu $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,NVCC)$(NVCC) -I. -MMD -MP $(NVCC_FLAGS) -c $< -o $@

build/keygen: build/tools/data/keygen.o build/tools/data/dist.o
build/reference: build/tools/tests/tools/reference.o
build/fuzz_options: build/tools/tests/fuzz/fuzz_options.o
build/peak: build/tools/tests/tools/peak.o
$(filter-out %.so,$(TOOLS)):
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lm -o $@

# Libraries to be preloaded, which make system calls fail.
build/faults.so: tests/faults/shim.c
build/refuse.so: tests/faults/refuse.c
build/%.so:
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) -D_GNU_SOURCE -std=c11 $(WARNINGS) -Wconversion -O2 -shared -fPIC $< -o $@

build/tools/%.o: %.c
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) -I. -D_GNU_SOURCE -MMD -MP -std=c11 $(WARNINGS) -Wconversion -O2 -c $< -o $@

# Unit tests: linked with everything but main().
units: $(UNITS) $(B)/unit.bats
$(B)/unit.bats: tests/unit/list.sh $(UNITS)
	@tests/unit/list.sh $(UNITS) >$@
$(B)/unit/%: tests/unit/%.c $(OBJECTS) $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,UNIT)$(CC) $(CPP_FLAGS) $(CPPFLAGS) $(C_FLAGS) $(CFLAGS) $(SANITIZE) $(LDFLAGS) $< $(OBJECTS) $(LIBS) -o $@

# Fuzzing: only the parsers are compiled with clang's libFuzzer, the rest is linked as built.
FUZZ_CC ?= clang
FUZZERS := $(B)/fuzz/fuzz_command $(B)/fuzz/fuzz_size
$(B)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c cli/options.c cli/option_values.c cli/size_arg.c $(OBJECTS) $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,FUZZ)$(FUZZ_CC) $(filter-out -MMD -MP,$(CPP_FLAGS)) -std=c11 -O1 -g \
	    -Dexit=fuzz_exit -Dgs_report_close_stdout=fuzz_close_stdout \
	    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all $(if $(filter %command,$@),cli/options.c cli/option_values.c) \
	    cli/size_arg.c $< $(filter-out %/options.o %/option_values.o %/size_arg.o,$(OBJECTS)) $(LIBS) -lgomp -lstdc++ -o $@

# Benchmarks: linked with the library and the key generator's distributions.
$(B)/bench_%: tests/bench/bench_%.c $(OBJECTS) build/tools/data/dist.o $(B)/flags
	$(call quiet,BENCH)$(CC) $(CPP_FLAGS) $(CPPFLAGS) $(C_FLAGS) $(CFLAGS) $(LDFLAGS) $< $(OBJECTS) build/tools/data/dist.o $(LIBS) -o $@

SUITE = GSORT='$(CURDIR)/$(B)/gsort' KEYGEN='$(CURDIR)/build/keygen' REFERENCE='$(CURDIR)/build/reference' \
        FUZZ_OPTIONS='$(CURDIR)/build/fuzz_options' FAULTS='$(CURDIR)/build/faults.so' UNITS='$(CURDIR)/$(B)/unit' CUDA=$(CUDA) $(BATS) --recursive
need_bats = @$(BATS) --version 2>/dev/null | awk '{ split($$2, v, "."); ok = v[1] * 100 + v[2] >= 105 } END { exit !ok }' || \
            { echo 'make $@ needs bats 1.5 or newer: install the package bats' >&2; exit 2; }
# TESTS: Bats files or directories, or the word unit, for the unit tests. BATS_JOBS files run at a time; without GNU parallel, only one.
TESTS     ?= tests unit
TESTS_NOW  = $(patsubst unit,$(B)/unit.bats,$(TESTS))
BATS_JOBS ?= $(shell nproc | awk '{ print $$1 < 4 ? $$1 : 4 }')
export PARALLEL_HOME = $(CURDIR)/build/parallel
side_by_side = $(shell [ '$(BATS_JOBS)' -gt 1 ] && parallel --version 2>/dev/null | grep -q '^GNU parallel' && \
               echo --jobs '$(BATS_JOBS)' --no-parallelize-within-files)
check: all $(B)/gsort units
	$(need_bats)
	$(SUITE) $(side_by_side) $(TESTS_NOW)

check-expensive: all $(B)/gsort units
	$(need_bats)
	GSORT_EXPENSIVE=1 $(SUITE) $(side_by_side) $(TESTS_NOW)

# Hostile tests: faults (MODES of tests/faults/walk.sh), kills, random runs; SEED=n repeats a run.
MODES ?= all
check-faults: all $(B)/gsort
	tests/faults/walk.sh $(B)/gsort build/faults.so build/keygen build/reference $(MODES)
	tests/faults/processors.sh $(B)/gsort build/keygen build/reference || [ $$? = 77 ]

N ?= 1000
check-kill: all $(B)/gsort
	tests/faults/kill.sh $(B)/gsort build/keygen build/reference $(N) $(SEED)

torture: all $(B)/gsort
	tests/faults/torture.sh $(B)/gsort build/faults.so build/keygen build/reference $(MINUTES) $(SEED)

MINUTES ?= 10
fuzz: $(FUZZERS)
	tests/fuzz/fuzz.sh $(MINUTES) $(B)/fuzz

# With the lower GS_INCOMING_KEYS, the keys of small pipes move to their bins as they come in, too.
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
asan:
	$(need_bats)
	+GSORT_FUZZ_COUNT=1000 $(MAKE) check CONFIG_SUFFIX=-asan SANITIZE='$(SANITIZERS)' CFLAGS='-O1 -g' CXXFLAGS='-O1 -g' \
	    CPPFLAGS='$(CPPFLAGS) -DGS_INCOMING_KEYS=140000'

valgrind: all $(B)/gsort
	tests/tools/valgrind.sh $(B)/gsort

lint:
	tests/tools/lint.sh

bench: $(B)/gsort $(TOOLS) $(B)/bench_memory
	tests/bench/overview.sh $(B)/gsort $(B)/bench_memory build/keygen $(BENCH)

# Compares with the sorts that Debian packages; bench-cpu runs it again limited to AVX2.
TBB_LIBS = $(shell $(PKG_CONFIG) --exists tbb 2>/dev/null && $(PKG_CONFIG) --libs tbb)
$(B)/bench_cpu: tests/bench/bench_cpu.c tests/bench/peers.cc $(OBJECTS) build/tools/data/dist.o $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,CXX)$(CXX) $(CPP_FLAGS) $(CPPFLAGS) -std=c++17 $(WARNINGS) -fopenmp -O3 -c tests/bench/peers.cc -o $@.peers.o
	$(call quiet,BENCH)$(CC) $(CPP_FLAGS) $(CPPFLAGS) $(C_FLAGS) $(CFLAGS) $(LDFLAGS) $< $@.peers.o $(OBJECTS) build/tools/data/dist.o $(LIBS) $(TBB_LIBS) -lstdc++ -o $@

AVX2_ONLY := -DGS_BENCH_AVX2 -DGS_HAS_AVX512=0
bench-cpu: $(B)/bench_cpu
	$(B)/bench_cpu $(BENCH)
	@+$(MAKE) -s CONFIG_SUFFIX=-avx2 CPPFLAGS='$(AVX2_ONLY)' $(B)-avx2/bench_cpu
	$(B)-avx2/bench_cpu $(BENCH)

# Tables of the engines, in data/bench; TABLES="lists keys samples print" selects parts.
bench-tables: $(B)/gsort $(TOOLS) $(B)/bench_qsort
	PLOTS=$(PLOTS) tests/bench/tables.sh $(B)/gsort $(B)/bench_qsort build/keygen data/bench $(TABLES)

bench-files: $(B)/gsort $(TOOLS)
	tests/bench/files.sh $(B)/gsort build/keygen $(BENCH)

bench-busy: $(B)/gsort $(TOOLS)
	tests/bench/busy.sh $(B)/gsort build/keygen $(BENCH)

bench-pipes: $(B)/gsort $(TOOLS)
	tests/bench/pipes.sh $(B)/gsort build/keygen $(BENCH)

bench-external: $(B)/gsort $(TOOLS)
	tests/bench/external.sh $(B)/gsort build/keygen $(BENCH)

DEMO_KEYS ?= 64M
demo: all
	mkdir -p build/demo
	build/keygen uniform $(DEMO_KEYS) >build/demo/in.bin
	./gsort --stats --verify build/demo/in.bin -o build/demo/out.bin
	./gsort --check build/demo/out.bin
	rm -r build/demo

BIN := $(DESTDIR)$(PREFIX)/bin
MAN := $(DESTDIR)$(PREFIX)/share/man/man1
COMPLETIONS := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
install: gsort
	install -D -m 755 gsort '$(BIN)/$(PROGRAM)'
	install -d '$(MAN)' '$(COMPLETIONS)'
	sed -E 's/(^|[^.])\bgsort\b/\1$(PROGRAM)/g' man/gsort.1 >'$(MAN)/$(PROGRAM).1'
	sed 's/\bgsort\b/$(PROGRAM)/g' cli/completion.bash >'$(COMPLETIONS)/$(PROGRAM)'
	chmod 644 '$(MAN)/$(PROGRAM).1' '$(COMPLETIONS)/$(PROGRAM)'

uninstall:
	rm -f '$(BIN)/$(PROGRAM)' '$(MAN)/$(PROGRAM).1' '$(COMPLETIONS)/$(PROGRAM)'

dist:
	@git rev-parse --verify -q HEAD >/dev/null || { echo 'make $@ needs a clone of the repository' >&2; exit 2; }
	git archive --prefix=gsort-$(VERSION)/ -o gsort-$(VERSION).tar.gz HEAD

# What a run on a GPU verifies: all code and tests built for it, except what only the CPU runs.
GPU_TESTS   = gpu_twins gpu_pages gpu_values gpu_close gpu_narrow gpu_engines gpu_flip gpu_small
GPU_SOURCES = $(sort $(foreach room,common keys split run pipeline engines api $(GPU_ROOMS),$(wildcard \
              $(addprefix $(call folder,$(room))/,*.c *.h *.cu *.cuh)))) sort/gsort.h \
              tests/gpu/gpu_test.h $(GPU_TESTS:%=tests/gpu/%.c) tests/gpu/check_gpu.sh
gpu-hash:
	@{ sha256sum $(GPU_SOURCES); grep -E '^ *((C|CXX|CPP|NVCC)_FLAGS|GPU_ARCHS) +[:?]=' Makefile; } | \
	    sha256sum | cut -d ' ' -f 1

ifeq ($(CUDA),1)
# The test of flipped bits intercepts the calls of stages.
$(B)/gpu_flip: WRAPS := -Wl,--wrap=gs_count_bins_gpu,--wrap=gs_scatter_bins_gpu,--wrap=gs_gpu_buffers_emit
# The test of a small GPU intercepts calls to the CUDA runtime.
$(B)/gpu_small: WRAPS := -Wl,--wrap=cudaDeviceGetAttribute,--wrap=cudaFuncSetAttribute
$(GPU_TESTS:%=$(B)/%): $(B)/gpu_%: tests/gpu/gpu_%.c $(OBJECTS) build/tools/data/dist.o $(B)/flags
	$(call quiet,UNIT)$(CC) $(CPP_FLAGS) $(CPPFLAGS) $(C_FLAGS) $(CFLAGS) $(LDFLAGS) $(WRAPS) $< $(OBJECTS) build/tools/data/dist.o $(LIBS) -o $@

# CUB compiles slowly, so only for one architecture at a time.
BENCH_ARCH ?= sm_90
$(B)/bench-gpu: tests/bench/bench_gpu.cu tests/bench/bench_gpu_keys.cuh $(OBJECTS) build/tools/data/dist.o $(B)/flags
	$(call quiet,NVCC)$(NVCC) -std=c++17 -O3 -arch=$(BENCH_ARCH) -Xcompiler -fopenmp -I. -c $< -o $@.o
	$(call quiet,LINK)$(CXX) $(CFLAGS) -fopenmp $(LDFLAGS) $@.o $(OBJECTS) build/tools/data/dist.o $(LIBS) -o $@

bench-gpu: $(B)/bench-gpu
	$(B)/bench-gpu $(BENCH)

check-gpu: all $(GPU_TESTS:%=$(B)/%) $(B)/bench-gpu units
	$(need_bats)
	BATS='$(BATS)' $(filter-out $(BATS) --recursive,$(SUITE)) tests/gpu/check_gpu.sh $(B)/gpu_twins $(B)/bench-gpu $(B)/gpu_engines $(B)/gpu_flip $(B)/gpu_values $(B)/gpu_pages $(B)/gpu_narrow $(B)/gpu_small $(B)/gpu_close
# Needs DEBUG=1: only that build has CUDA calls that can be made to fail.
inject-gpu: $(B)/gsort $(TOOLS)
	@[ '$(DEBUG)' = 1 ] || { echo 'make $@ needs DEBUG=1' >&2; exit 2; }
	tests/gpu/inject_gpu.sh $(B)/gsort build/keygen build/reference
else
bench-gpu check-gpu inject-gpu:
	@echo 'make $@ needs a build with CUDA: install the CUDA toolkit, or say CUDA=1' >&2; exit 2
endif

clean:
	rm -rf build gsort gsort-*.tar.gz

FORCE:
-include $(shell find build -name '*.d' 2>/dev/null)
