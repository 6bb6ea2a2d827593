# gsort: build, test, install. `make help` lists the targets.
# SPDX-License-Identifier: MIT
VERSION := 0.2.0

# Optional dependencies: detected when unset; 0 leaves one out, 1 requires it. `make install` reuses
# the settings of the last build: under sudo, PATH may lack nvcc, and nobody repeats CC= or CFLAGS=.
ifeq ($(MAKECMDGOALS),install)
  -include build/last.mk
endif
# The commit: git archive wrote it, or this is a clone. (root may not read another user's.)
COMMIT := $(shell grep -x '[0-9a-f]*' mk/commit || git describe --always --dirty --exclude='*' 2>/dev/null)
COMMIT := $(or $(COMMIT),$(BUILT_COMMIT),unknown)
PKG_CONFIG ?= pkg-config
NVCC       ?= nvcc
OBJCOPY    ?= objcopy
CXX        ?= g++
STATIC ?= 0
ifeq ($(STATIC),1)
  CUDA    ?= 0
  HIGHWAY ?= 0
endif
have = $(shell command -v $(1) >/dev/null 2>&1 && echo 1 || echo 0)
HIGHWAY ?= $(shell $(PKG_CONFIG) --exists "libhwy-contrib >= 1.0" 2>/dev/null && command -v $(CXX) >/dev/null 2>&1 && echo 1 || echo 0)
CUDA    ?= $(call have,$(NVCC))
FUSE    ?= $(shell $(PKG_CONFIG) --exists fuse3 2>/dev/null && echo 1 || echo 0)
DEBUG   ?= 0
MPI     ?= 0
MPICC   ?= mpicc
V       ?= 0

check_switch = $(if $(filter 0 1,$($(1))),,$(error $(1)=$($(1)): must be 0 or 1))
$(foreach switch,CUDA HIGHWAY FUSE DEBUG MPI STATIC V,$(call check_switch,$(switch)))
ifeq ($(HIGHWAY),1)
  ifneq ($(shell $(PKG_CONFIG) --exists "libhwy-contrib >= 1.0" 2>/dev/null && echo 1),1)
    $(error HIGHWAY=1, but $(PKG_CONFIG) finds no libhwy-contrib 1.0 or newer: install libhwy-dev and pkg-config)
  endif
  ifneq ($(call have,$(CXX)),1)
    $(error HIGHWAY=1, but there is no C++ compiler $(CXX): install g++)
  endif
endif
ifeq ($(FUSE),1)
  ifneq ($(shell $(PKG_CONFIG) --exists fuse3 2>/dev/null && echo 1),1)
    $(error FUSE=1, but $(PKG_CONFIG) finds no fuse3: install libfuse3-dev and pkg-config)
  endif
endif
ifeq ($(MPI),1)
  ifneq ($(call have,$(MPICC)),1)
    $(error MPI=1, but there is no $(MPICC): install libopenmpi-dev or libmpich-dev, or say where it is, MPICC=...)
  endif
endif
MPICC_FOUND = $(or $(if $(filter 1,$(MPI)),$(shell command -v $(MPICC))),$(MPICC))
NVCC_FOUND = $(or $(if $(filter 1,$(CUDA)),$(shell command -v $(NVCC))),$(NVCC))
ifeq ($(CUDA),1)
  ifneq ($(call have,$(NVCC)),1)
    $(error CUDA=1, but there is no $(NVCC): install the CUDA toolkit or say where it is, NVCC=...)
  endif
endif

# -g1: functions and lines for backtraces and valgrind; variables for a debugger cost a quarter of the
# build: CFLAGS='-Og -g'.
CFLAGS    ?= -O2 -g1 -fno-asynchronous-unwind-tables
CXXFLAGS  ?= -O2 -g1
BATS      ?= bats
SANITIZE  :=
CONFIG    := cuda$(CUDA)-highway$(HIGHWAY)$(if $(filter 1,$(DEBUG)),-debug)$(if $(filter 1,$(STATIC)),-static)$(CONFIG_SUFFIX)
B         := build/$(CONFIG)

# Set WERROR= if another compiler has more warnings. Without optimization, GCC's intrinsics are
# macros, which -Wsign-conversion complains about.
WERROR    ?= -Werror
WARNINGS  := -Wall -Wextra -Wpedantic -Wshadow $(WERROR) \
             $(if $(filter-out -O0,$(filter -O%,$(CFLAGS))),,-Wno-sign-conversion)
# The same program, wherever the tree is.
SAME_PATHS := -ffile-prefix-map='$(CURDIR)'=.
C_FLAGS   := -std=c11 $(WARNINGS) -Wconversion -fopenmp $(SAME_PATHS)
CXX_FLAGS := -std=c++17 $(WARNINGS) -fno-exceptions -fno-rtti $(SAME_PATHS)
CPP_FLAGS := -I. -D_GNU_SOURCE -DGS_CUDA=$(CUDA) -DGS_HIGHWAY=$(HIGHWAY) -MMD -MP
LIBS      := -lpthread -lm
ifeq ($(STATIC),1)
  $(if $(filter 1,$(CUDA) $(HIGHWAY) $(MPI)),$(error STATIC=1 goes without CUDA, Highway and MPI))
  LIBS    += -static -s
endif
ifeq ($(DEBUG),1)
  CPP_FLAGS += -DGS_DEBUG=1
endif

# The rooms of the house, from the ground up (sort/README.md); a source in none of them is an error.
# The rooms between types and api are compiled for keys of 32 bits, and again for wider ones.
WIDTHS   ?= 64 128
ROOMS    := common types check api cli
# Only in gsort-mpi; elsewhere cluster_absent.c stands in.
MPI_ROOMS := cluster
KEY_ROOMS := keys bin split run merge cpu ways pipeline engines sorter external width
# Records: by tags of 64 or 128 bits; what is for all records is compiled once, with the latter.
TAG_ROOMS := tags
RECORD_ROOMS := wide
# Wings of rooms: vector code for 32-bit keys on x86-64. Elsewhere *_absent.c stand in.
WINGS    := keys/u32 bin/u32 split/u32
# On a GPU: rooms for keys of all widths, for those of 32 bits, and for wider ones.
GPU_ALL   := device/kernels device gpu
GPU_NARROW := device/u32 device/pages engines/gpu
GPU_WIDE  := device/wide
GPU_ROOMS := $(GPU_ALL) $(GPU_NARROW) $(GPU_WIDE)
# There is one GPU for all widths.
GPU_ONCE  := sort/gpu/gpu_start.c sort/device/gpu_call.c
folder   = $(if $(filter common cli,$(1)),$(1),sort/$(1))
sources  = $(foreach room,$(1),$(wildcard $(call folder,$(room))/*.$(2)))
# What stands in for others (absent), and what does not (present).
present  = $(filter-out %_absent.c,$(call sources,$(1),c))
absent   = $(filter %_absent.c,$(call sources,$(1),c))
HOUSE    := $(shell find common sort cli -name '*.c' -o -name '*.cc' -o -name '*.cu')
ASTRAY   := $(filter-out $(foreach kind,c cc cu,$(call sources,$(ROOMS) $(KEY_ROOMS) $(TAG_ROOMS) $(RECORD_ROOMS) $(MPI_ROOMS) $(WINGS) $(GPU_ROOMS),$(kind))),$(HOUSE))
$(if $(ASTRAY),$(error $(ASTRAY): in no room that the Makefile knows))
MACROS   := $(shell $(CC) -dM -E - </dev/null)
objects  = $(patsubst %,$(B)/%.o,$(basename $(1)))
# A room of a width is compiled as one file, since reading headers anew would take as long again; but not where two files have
# names in common.
APART    := pipeline split ways
WHOLE    := $(filter-out $(APART),$(KEY_ROOMS) $(TAG_ROOMS) $(RECORD_ROOMS))
wholes   = $(filter $(WHOLE:%=sort/%/%.c),$(1))
# The objects of a width, of its prefix and its sources.
width_objects = $(addprefix $(1),$(sort $(foreach room,$(WHOLE),$(if $(filter sort/$(room)/%.c,$(2)),sort/$(room).o))) \
                $(patsubst %,%.o,$(basename $(filter-out $(call wholes,$(2)),$(2)))))
define whole_rule
$(1)sort/$(3).o: $$(filter sort/$(3)/%.c,$(2)) $(B)/flags
	@mkdir -p $$(@D)
	$$(call quiet,CC)printf '#include "%s"\n' $$(filter %.c,$$^) | $$(CC) $$(CPP_FLAGS) $(4) $$(CPPFLAGS) $$(C_FLAGS) $$(CFLAGS) $$(SANITIZE) -c -x c - -o $$@
endef
KEYS_32  := $(call present,$(KEY_ROOMS)) $(call $(if $(findstring __x86_64__,$(MACROS)),present,absent),$(WINGS))
OBJECTS  := $(call objects,$(filter-out cli/main.c cli/openmp_environment.c,$(call present,$(ROOMS)))) \
            $(call width_objects,$(B)/,$(KEYS_32))
OBJECTS  += $(call objects,$(call absent,$(MPI_ROOMS)))
# Wider keys have neither vector code of their own, nor shares or the engines of 32-bit lists.
WIDE     := $(filter-out $(call sources,engines,c),$(call present,$(KEY_ROOMS))) sort/engines/list_engines.c \
            sort/engines/engine_absent.c $(call absent,$(WINGS) engines/gpu)
ifeq ($(HIGHWAY),1)
  OBJECTS   += $(call objects,$(call sources,$(KEY_ROOMS),cc))
  WIDE_64   := $(call sources,bin,cc)
  WIDE_128  := $(call sources,bin,cc)
  LIBS      += $(shell $(PKG_CONFIG) --libs libhwy-contrib libhwy)
  CPP_FLAGS += $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags libhwy-contrib))
else
  OBJECTS   += $(call objects,$(call absent,bin ways))
  WIDE_64   := $(call absent,bin ways)
  WIDE_128  := $(call absent,bin ways)
endif
WIDE_64    += $(call sources,$(TAG_ROOMS),c)
WIDE_128   += $(call sources,$(TAG_ROOMS) $(RECORD_ROOMS),c)
ifeq ($(CUDA),1)
  OBJECTS  += $(call objects,$(call present,$(GPU_ALL) $(GPU_NARROW)) $(call sources,$(GPU_ALL) $(GPU_NARROW),cu))
  WIDE     += $(filter-out $(GPU_ONCE),$(call present,$(GPU_ALL))) $(call sources,$(GPU_ALL) $(GPU_WIDE),cu) $(call absent,device/u32)
  ONCE     := $(call objects,$(GPU_ONCE))
  CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(realpath $(shell command -v $(NVCC))))
  CPP_FLAGS += -isystem $(CUDA_HOME)/include
  LIBS     += -L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/lib -lcudart_static -ldl -lrt
  # Machine code for each major architecture that nvcc knows: it runs on its minor ones, too. On GPUs
  # newer than all of these, the driver compiles the last one's PTX at the first run.
  GPU_ARCHS ?= $(filter $(shell $(NVCC) --list-gpu-code 2>/dev/null),sm_75 sm_80 sm_90 sm_100 sm_110 sm_120)
  NEWEST    := $(patsubst sm_%,%,$(lastword $(GPU_ARCHS)))
  COMPRESS  := $(if $(shell $(NVCC) --help 2>/dev/null | grep compress-mode),-compress-mode=size,-Xfatbin -compress-all)
  NVCC_FLAGS := -std=c++17 -O3 $(COMPRESS) -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror,-fno-threadsafe-statics --threads 0 \
                $(foreach arch,$(patsubst sm_%,%,$(GPU_ARCHS)),-gencode arch=compute_$(arch),code=sm_$(arch)) \
                -gencode arch=compute_$(NEWEST),code=compute_$(NEWEST)
else
  OBJECTS  += $(call objects,$(call absent,gpu engines/gpu))
  WIDE     += $(call absent,gpu)
endif
# Each wider build is one object file that shows nothing but its table of calls and its sort by tags (that of 128 bits, the table
# for records, too).
WIDTH_64  := -DGS_BITS=64 -UGS_HIGHWAY -DGS_HIGHWAY=0
WIDTH_128 := -DGS_BITS=128 -UGS_HIGHWAY -DGS_HIGHWAY=0
wide_objects = $(call width_objects,$(B)/w$(1)/,$(WIDE) $(WIDE_$(1)))
WIDE_OBJECTS := $(WIDTHS:%=$(B)/width%.o)
OBJECTS  += $(WIDE_OBJECTS)
# -O3 where the keys' time goes, -Os for what leads there.
ifeq ($(origin CFLAGS),file)
  in_widths = $(foreach width,$(B) $(WIDTHS:%=$(B)/w%),$(patsubst %,$(width)/sort/%.o,$(1)))
  $(call in_widths,keys bin split/search_bins ways/few_values) $(call objects,$(call present,split/u32) common/codec.c) $(B)/sort/cpu.o: private CFLAGS += -O3
  $(call in_widths,sorter pipeline/distribute pipeline/incoming pipeline/pipeline) $(call objects,$(call present,cli)) \
  $(patsubst %,$(B)/common/%.o,format input npy npy_format npy_literal npy_plain npy_type output tempfile): private CFLAGS += -Os
endif
MAIN     := $(B)/cli/main.o $(B)/cli/openmp_environment.o
# GCC's OpenMP runtime, static: a shared one reads the environment before openmp_environment.c runs.
STATIC_GOMP := $(if $(findstring __clang__,$(MACROS)),,$(filter /%,$(shell $(CC) -print-file-name=libgomp.a)))
TOOLS    := build/keygen build/reference build/fuzz_options build/peak build/faults.so build/refuse.so $(if $(filter 1,$(FUSE)),build/quirkfs)
UNITS    := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))
# Those that hold for keys of every width.
WIDE_UNITS := cache_sort cache_sort_methods copy_ordered external_split few_values incoming merge_cut merge_segment merge_verify \
              order ordered_input ordered_runs shares splitters
UNITS    += $(foreach width,$(WIDTHS),$(WIDE_UNITS:%=$(B)/unit/test_%_$(width)))

quiet = $(if $(filter 1,$(V)),,@printf '  %-5s %s\n' '$(1)' '$@';)

## Build
##   all              ./gsort and build/keygen (default); MPI=1: ./gsort-mpi, too
##   tools            what the tests need besides
##   units            the unit tests, built and not run
##   demo             sort generated keys and check the result
##   clean            all that was built, away
.PHONY: all tools units demo clean FORCE
all: gsort $(if $(filter 1,$(MPI)),gsort-mpi) build/keygen
tools: $(TOOLS)

# The lines of all parts that begin with ##, and what is built now.
.PHONY: help
help:
	@sed -n 's/^## \{0,1\}//p' Makefile $(PARTS)
	@printf '\n%s\n' 'Switches: CUDA=0|1 HIGHWAY=0|1 FUSE=0|1 MPI=0|1 MPICC= STATIC=0|1 DEBUG=0|1 V=0|1 WERROR=; now CUDA=$(CUDA) HIGHWAY=$(HIGHWAY) FUSE=$(FUSE)'


# ./gsort is the configuration built last; build/last.mk keeps the variables given to that make, as
# arguments or in its environment.
quoted = $(subst ','"'"',$(1))
GIVEN := $(foreach name,CC CXX CPPFLAGS CFLAGS CXXFLAGS LDFLAGS WERROR PKG_CONFIG CUDA_HOME GPU_ARCHS,$(if \
             $(filter command environment,$(origin $(name))),$(name)))
gsort: $(B)/gsort FORCE
	@cmp -s $< $@ || { cp $< $@.new && mv $@.new $@; }
	@$(if $(filter install,$(MAKECMDGOALS)),[ -e build/last.mk ] ||) printf '%s\n' 'CUDA ?= $(CUDA)' 'HIGHWAY ?= $(HIGHWAY)' \
	    'NVCC ?= $(NVCC_FOUND)' 'MPI ?= $(MPI)' 'STATIC ?= $(STATIC)' 'MPICC ?= $(MPICC_FOUND)' 'BUILT_COMMIT := $(COMMIT)' $(foreach name,$(GIVEN),'$(name) := $(call quoted,$(value $(name)))') >build/last.mk

$(B)/gsort: $(MAIN) $(OBJECTS)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(SANITIZE) -fopenmp $(LDFLAGS) $^ $(LIBS) $(STATIC_GOMP:%=% -ldl) -o $@

# The same program for several processes, by the compiler's wrapper of one MPI library or another.
M := $(B)/$(notdir $(MPICC))
MPI_OBJECTS := $(patsubst %,$(M)/%.o,$(basename $(call present,$(MPI_ROOMS))))
ifeq ($(origin CFLAGS),file)
  $(M)/sort/cluster/deal.o $(M)/sort/cluster/ranges.o: private CFLAGS += -O3
endif
MPI_LINK = OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC)
# Its mpirun, for the tests.
MPIRUN ?= $(patsubst mpicc%,mpirun%,$(notdir $(MPICC)))
gsort-mpi: $(M)/gsort-mpi FORCE
	@cmp -s $< $@ || { cp $< $@.new && mv $@.new $@; }

$(M)/gsort-mpi: $(MAIN) $(filter-out $(call objects,$(call absent,$(MPI_ROOMS))),$(OBJECTS)) $(MPI_OBJECTS)
	$(call quiet,LINK)$(MPI_LINK) $(CFLAGS) $(SANITIZE) -fopenmp $(LDFLAGS) $^ $(LIBS) $(STATIC_GOMP:%=% -ldl) -o $@

# MPICH's MPI_STATUSES_IGNORE is address 1, which GCC takes for an array without room.
MPI_FLAGS := $(if $(findstring __clang__,$(MACROS)),,-Wno-stringop-overflow)
$(M)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,MPICC)$(MPI_LINK) $(CPP_FLAGS) $(CPPFLAGS) $(C_FLAGS) $(MPI_FLAGS) $(CFLAGS) $(SANITIZE) -c $< -o $@

# The flags of the last build: if CFLAGS or LDFLAGS change, everything is rebuilt.
FLAGS_NOW := $(CC) $(CPPFLAGS) $(CPP_FLAGS) $(C_FLAGS) $(CFLAGS) $(SANITIZE) $(CXX) $(CXX_FLAGS) $(CXXFLAGS) $(NVCC_FLAGS) \
             $(LDFLAGS) $(LIBS)
define kept_rule
$(1): FORCE
	@mkdir -p $$(@D); echo '$$(call quoted,$(2))' | cmp -s - $$@ || echo '$$(call quoted,$(2))' >$$@
endef
kept = $(eval $(kept_rule))
$(call kept,$(B)/flags,$(FLAGS_NOW))

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(CPP_FLAGS) $(CPPFLAGS) $(C_FLAGS) $(CFLAGS) $(SANITIZE) -c $< -o $@

VERSION_NOW := -DGS_VERSION='"$(VERSION)"' -DGS_COMMIT='"$(COMMIT)"' -DGS_GPU_ARCHS='"$(GPU_ARCHS)"'
$(B)/cli/version.o: private CPP_FLAGS += $(VERSION_NOW)
$(B)/cli/version.o: $(B)/version
$(call kept,$(B)/version,$(VERSION_NOW))

# The same for wider keys; then all of a width in one file.
$(foreach room,$(filter-out $(APART),$(KEY_ROOMS)),$(eval $(call whole_rule,$(B)/,$(KEYS_32),$(room))))
define width_rules
$(foreach room,$(WHOLE),$(call whole_rule,$(B)/w$(1)/,$(WIDE) $(WIDE_$(1)),$(room),$(WIDTH_$(1)))
)
$(B)/w$(1)/%.o: %.c $(B)/flags
	@mkdir -p $$(@D)
	$$(call quiet,CC)$$(CC) $$(CPP_FLAGS) $$(WIDTH_$(1)) $$(CPPFLAGS) $$(C_FLAGS) $$(CFLAGS) $$(SANITIZE) -c $$< -o $$@

$(B)/w$(1)/%.o: %.cc $(B)/flags
	@mkdir -p $$(@D)
	$$(call quiet,CXX)$$(CXX) $$(CPP_FLAGS) $$(WIDTH_$(1)) $$(CPPFLAGS) $$(CXX_FLAGS) $$(CXXFLAGS) $$(SANITIZE) -c $$< -o $$@

$(B)/w$(1)/%.o: %.cu $(B)/flags
	@mkdir -p $$(@D)
	$$(call quiet,NVCC)$$(NVCC) -I. -MMD -MP -DGS_BITS=$(1) $$(NVCC_FLAGS) -c $$< -o $$@

$(B)/width$(1).o: $$(call wide_objects,$(1))
	$$(call quiet,LD)$$(CC) -r -nostdlib -Wl,--force-group-allocation $$^ -o $$@.all && $$(OBJCOPY) --keep-global-symbol=gs_width_$(1) --keep-global-symbol=gs_tag_sort_$(1) --keep-global-symbol=gs_width_records $$@.all $$@ && rm $$@.all

$(B)/unit$(1).a: $$(call wide_objects,$(1)) $$(call objects,$$(call present,common types check)) $(ONCE)
$(B)/unit/%_$(1): tests/unit/%.c $(B)/unit$(1).a $(B)/flags
	@mkdir -p $$(@D)
	$$(call quiet,UNIT)$$(CC) $$(CPP_FLAGS) $$(WIDTH_$(1)) $$(CPPFLAGS) $$(C_FLAGS) $$(UNIT_CFLAGS) $$(SANITIZE) $$(LDFLAGS) $$(filter %.c %.a,$$^) $$(LIBS) -o $$@

$(B)/bench_%_$(1): tests/bench/bench_%.c $$(call wide_objects,$(1)) $(if $(filter 128,$(1)),$(B)/width64.o) $$(call objects,$$(call present,common types check)) $(ONCE) $(B)/flags
	$$(call quiet,BENCH)$$(CC) $$(CPP_FLAGS) $$(WIDTH_$(1)) $$(CPPFLAGS) $$(C_FLAGS) $$(CFLAGS) $$(LDFLAGS) $$(filter %.c %.o,$$^) $$(LIBS) -o $$@
endef
$(foreach width,$(WIDTHS),$(eval $(call width_rules,$(width))))

$(B)/%.o: %.cc $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,CXX)$(CXX) $(CPP_FLAGS) $(CPPFLAGS) $(CXX_FLAGS) $(CXXFLAGS) $(SANITIZE) -c $< -o $@

$(B)/%.o: %.cu $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,NVCC)$(NVCC) -I. -MMD -MP $(NVCC_FLAGS) -c $< -o $@

build/keygen: $(patsubst %,build/tools/%.o,data/keygen data/dist data/typed common/format common/status)
build/reference: build/tools/tests/tools/reference.o build/tools/tests/tools/reference_records.o
build/fuzz_options: build/tools/tests/fuzz/fuzz_options.o
build/peak: build/tools/tests/tools/peak.o
$(filter-out %.so %/quirkfs,$(TOOLS)):
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lm -o $@

# Libraries to be preloaded, which make system calls fail.
build/faults.so: tests/faults/shim.c
build/refuse.so: tests/faults/refuse.c
build/%.so:
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) -D_GNU_SOURCE -std=c11 $(WARNINGS) -Wconversion -O2 -shared -fPIC $< -o $@

# A file system with quirks, to be mounted by tests.
build/quirkfs: tests/faults/quirkfs.c
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) -D_GNU_SOURCE -std=c11 $(WARNINGS) -Wconversion -O2 \
	    $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags fuse3)) $< $(shell $(PKG_CONFIG) --libs fuse3) -o $@

build/tools/%.o: %.c
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) -I. -D_GNU_SOURCE -MMD -MP -std=c11 $(WARNINGS) -Wconversion -O2 -c $< -o $@

# Unit tests: linked with what they need of everything but main(). Archives of links to the objects
# take half the time and a third of the room; -O2, a third less than -O3, and the tests are as fast.
UNIT_CFLAGS = $(CFLAGS:-O3=-O2)
$(B)/unit.a: $(OBJECTS)
$(B)/unit.a $(WIDTHS:%=$(B)/unit%.a):
	$(call quiet,AR)rm -f $@ && $(AR) rcT $@ $^
units: $(UNITS) $(B)/unit.bats $(B)/unit_wide.bats
$(B)/unit.bats $(B)/unit_wide.bats: tests/unit/list.sh $(UNITS)
	@tests/unit/list.sh $(filter-out %_64 %_128,$(UNITS)) >$(B)/unit.bats
	@tests/unit/list.sh $(filter %_64 %_128,$(UNITS)) >$(B)/unit_wide.bats
$(B)/unit/%: tests/unit/%.c $(B)/unit.a $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,UNIT)$(CC) $(CPP_FLAGS) $(CPPFLAGS) $(C_FLAGS) $(UNIT_CFLAGS) $(SANITIZE) $(LDFLAGS) $< $(B)/unit.a $(LIBS) -o $@

##
## Test
##   check            unit tests and Bats suite on the CPU; needs bats
##                    TESTS='FILE...|unit', BATS_JOBS=N files at a time
##   check-expensive  the same with the long tests, and with all combinations of options
##   lint             the rules of the house, clang-format, shellcheck, cppcheck, clang-tidy
.PHONY: check check-expensive lint
SUITE = GSORT='$(CURDIR)/$(B)/gsort' KEYGEN='$(CURDIR)/build/keygen' REFERENCE='$(CURDIR)/build/reference' \
        FUZZ_OPTIONS='$(CURDIR)/build/fuzz_options' FAULTS='$(CURDIR)/build/faults.so' \
        GSORT_MPI='$(if $(filter 1,$(MPI)),$(CURDIR)/$(M)/gsort-mpi)' MPIRUN='$(MPIRUN)' \
        QUIRKFS='$(if $(filter 1,$(FUSE)),$(CURDIR)/build/quirkfs)' UNITS='$(CURDIR)/$(B)/unit' CUDA=$(CUDA) $(BATS) --recursive
need_bats = @$(BATS) --version 2>/dev/null | awk '{ split($$2, v, "."); ok = v[1] * 100 + v[2] >= 105 } END { exit !ok }' || \
            { echo 'make $@ needs bats 1.5 or newer: install the package bats' >&2; exit 2; }
# TESTS: Bats files or directories, or the word unit, for the unit tests. BATS_JOBS files run at a time, one more than there are
# processors, since tests wait for disks, pipes and clocks; without GNU parallel, only one.
TESTS     ?= unit tests
TESTS_NOW  = $(foreach word,$(TESTS),$(if $(filter unit,$(word)),$(B)/unit.bats $(B)/unit_wide.bats,$(word)))
BATS_JOBS ?= $(shell nproc | awk '{ print $$1 < 4 ? $$1 + 1 : 4 }')
export PARALLEL_HOME = $(CURDIR)/build/parallel
side_by_side = $(shell [ '$(BATS_JOBS)' -gt 1 ] && parallel --version 2>/dev/null | grep -q '^GNU parallel' && \
               echo --jobs '$(BATS_JOBS)' --no-parallelize-within-files)
UNITS_NOW = $(if $(filter unit,$(TESTS)),units)
check: all tools $(B)/gsort $(if $(filter 1,$(MPI)),$(M)/gsort-mpi) $(UNITS_NOW)
	$(need_bats)
	$(SUITE) $(side_by_side) $(TESTS_NOW)

check-expensive: export GSORT_EXPENSIVE = 1
check-expensive: check

lint:
	tests/tools/lint.sh

DEMO_KEYS ?= 64M
demo: all
	mkdir -p build/demo
	build/keygen uniform $(DEMO_KEYS) >build/demo/in.bin
	./gsort --stats --verify build/demo/in.bin -o build/demo/out.bin
	./gsort --check build/demo/out.bin
	rm -r build/demo

PARTS := mk/package.mk mk/hostile.mk mk/bench.mk mk/gpu.mk
include $(PARTS)

clean:
	rm -rf build gsort gsort-mpi gsort-*.tar.gz keysort_*.deb

FORCE:
-include $(shell find build -name '*.d' -type f 2>/dev/null)
