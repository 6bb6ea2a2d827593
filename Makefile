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
MPICC      ?= mpicc
OBJCOPY    ?= objcopy
CXX        ?= g++
have    = $(if $(shell command -v $(1) 2>/dev/null),1,0)
library = $(if $(shell $(PKG_CONFIG) --exists '$(1)' 2>/dev/null && echo 1),1,0)
# Call switch with a name, its value by default, whether it may be 1, and why not.
define switch
$(1) ?= $(2)
$$(if $$(filter 0 1,$$($(1))),,$$(error $(1)=$$($(1)): must be 0 or 1))
$$(if $$(filter 10,$$($(1))$(3)),$$(error $(1)=1, but there is no $(4)))
endef
optional = $(if $(filter 1,$(STATIC)),0,$(2))
$(foreach name,DEBUG STATIC V,$(eval $(call switch,$(name),0,1)))
found := $(if $(filter 11,$(call library,libhwy-contrib >= 1.0)$(call have,$(CXX))),1,0)
$(eval $(call switch,HIGHWAY,$(call optional,,$(found)),$(found),libhwy-contrib 1.0 or no $(CXX): install libhwy-dev pkg-config g++))
found := $(call have,$(NVCC))
$(eval $(call switch,CUDA,$(call optional,,$(found)),$(found),$(NVCC): install the CUDA toolkit or say where it is by NVCC=...))
found := $(call library,fuse3)
$(eval $(call switch,FUSE,$(found),$(found),fuse3: install libfuse3-dev and pkg-config))
found := $(call library,hdf5)
$(eval $(call switch,HDF5,0,$(found),hdf5: install libhdf5-dev and pkg-config))
$(eval $(call switch,MPI,0,$(call have,$(MPICC)),$(MPICC): install libopenmpi-dev or libmpich-dev or say where it is by MPICC=...))
$(if $(filter 11,$(STATIC)$(or $(filter 1,$(CUDA) $(HIGHWAY) $(HDF5) $(MPI)),0)),$(error STATIC=1 goes without CUDA, HIGHWAY, HDF5 and MPI))

# -g1: functions and lines for backtraces and valgrind; variables for a debugger cost a quarter of the
# build: CFLAGS='-Og -g'.
CFLAGS    ?= -O2 -g1 -fno-asynchronous-unwind-tables
CXXFLAGS  ?= -O2 -g1
BATS      ?= bats
SANITIZE  :=
is        = $(if $(filter 1,$($(1))),$(2))
CONFIG    := cuda$(CUDA)-highway$(HIGHWAY)$(call is,HDF5,-hdf5)$(call is,DEBUG,-debug)$(call is,STATIC,-static)$(CONFIG_SUFFIX)
B         := build/$(CONFIG)
M         := $(B)/$(notdir $(MPICC))
MACROS    := $(shell $(CC) -dM -E - </dev/null)
CLANG     := $(findstring __clang__,$(MACROS))

# Set WERROR= if another compiler has more warnings. Without optimization, GCC's intrinsics are
# macros, which -Wsign-conversion complains about.
WERROR    ?= -Werror
WARNINGS  := -Wall -Wextra -Wpedantic -Wshadow $(WERROR) \
             $(if $(filter-out -O0,$(filter -O%,$(CFLAGS))),,-Wno-sign-conversion)
# The same program, wherever the tree is.
SAME_PATHS := -ffile-prefix-map='$(CURDIR)'=.
# One set of objects for the programs and the shared library, of which only gsort.h is seen outside.
PIC       := -fPIC -fvisibility=hidden
C_FLAGS   := -std=c11 $(WARNINGS) -Wconversion -Wmissing-prototypes -fopenmp $(PIC) $(SAME_PATHS)
# A unique symbol of GCC's would stay global in libgsort.a.
CXX_FLAGS := -std=c++17 $(WARNINGS) -fno-exceptions -fno-rtti $(if $(CLANG),,-fno-gnu-unique) $(PIC) $(SAME_PATHS)
CPP_FLAGS := -I. -D_GNU_SOURCE -DGS_CUDA=$(CUDA) -DGS_HIGHWAY=$(HIGHWAY) $(call is,DEBUG,-DGS_DEBUG=1) -MMD -MP
LIBS      := -lpthread -lm $(call is,HDF5,-ldl)
LINK_FLAGS := $(call is,STATIC,-static -s -Xlinker --gc-sections)

# The rooms of the house, from the ground up (sort/README.md); a source in none of them is an error.
COMMON    := common common/memory common/formats common/files
ROOMS     := $(COMMON) types check shuffle api files library cli
# Compiled for keys of 32 bits, and again for wider ones.
WIDTHS    ?= 64 128
KEY_ROOMS := keys bin split run merge cpu ways pipeline engines sorter external width
# Records: by tags of 64 or 128 bits; what is for all records is compiled once, with the latter.
TAG_ROOMS := tags
RECORD_ROOMS := wide
# Only in gsort-mpi; elsewhere cluster_absent.c stands in.
MPI_ROOMS := cluster
# Wings of rooms: vector code for 32-bit keys on x86-64. Elsewhere *_absent.c stand in.
WINGS     := keys/u32 bin/u32 split/u32
# On a GPU: rooms for keys of all widths, for those of 32 bits, and for wider ones.
GPU_ALL   := device/kernels device/pages device gpu
GPU_NARROW := device/u32 engines/gpu
GPU_WIDE  := device/wide
GPU_ROOMS := $(GPU_ALL) $(GPU_NARROW) $(GPU_WIDE)
# There is one GPU for all widths.
GPU_ONCE  := sort/gpu/gpu_start.c sort/device/gpu_call.c sort/device/device_reports.c
# A room of a width is compiled as one file, since reading headers anew would take as long again; but not where two files have
# names in common.
APART     := pipeline split ways
WHOLE     := $(filter-out $(APART),$(KEY_ROOMS) $(TAG_ROOMS) $(RECORD_ROOMS))
folder   = $(if $(filter common common/% cli,$(1)),$(1),sort/$(1))
sources  = $(foreach room,$(1),$(wildcard $(call folder,$(room))/*.$(2)))
# What stands in for others (absent), and what does not (present).
present  = $(patsubst common/formats/hdf5.c,$(HDF5_SOURCE),$(filter-out %_absent.c,$(call sources,$(1),c)))
absent   = $(filter %_absent.c,$(call sources,$(1),c))
HDF5_SOURCE := common/formats/hdf5$(if $(filter 0,$(HDF5)),_absent).c
HOUSE    := $(shell find common sort cli -name '*.c' -o -name '*.cc' -o -name '*.cu')
ASTRAY   := $(filter-out $(foreach kind,c cc cu,$(call sources,$(ROOMS) $(KEY_ROOMS) $(TAG_ROOMS) $(RECORD_ROOMS) $(MPI_ROOMS) $(WINGS) $(GPU_ROOMS),$(kind))),$(HOUSE))
$(if $(ASTRAY),$(error $(ASTRAY): in no room that the Makefile knows))

# The sources for 32 bits and for wider keys, which have neither vector code nor the engines of 32-bit lists.
NARROW   := $(call present,$(KEY_ROOMS)) $(call $(if $(findstring __x86_64__,$(MACROS)),present,absent),$(WINGS))
WIDE     := $(filter-out sort/engines/%,$(call present,$(KEY_ROOMS))) sort/engines/list_engines.c \
            sort/engines/engine_absent.c $(call absent,$(WINGS) engines/gpu) $(call present,$(TAG_ROOMS))
ifeq ($(HIGHWAY),1)
  NARROW    += $(call sources,$(KEY_ROOMS),cc)
  WIDE      += $(call sources,bin,cc)
  LIBS      += $(shell $(PKG_CONFIG) --libs libhwy-contrib libhwy)
  CPP_FLAGS += $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags libhwy-contrib))
else
  NARROW    += $(call absent,bin ways)
  WIDE      += $(call absent,bin ways)
endif
ifeq ($(CUDA),1)
  NARROW    += $(call present,$(GPU_ALL) $(GPU_NARROW)) $(call sources,$(GPU_ALL) $(GPU_NARROW),cu)
  WIDE      += $(filter-out $(GPU_ONCE),$(call present,$(GPU_ALL))) $(call sources,$(GPU_ALL) $(GPU_WIDE),cu) $(call absent,device/u32)
  ONCE      := $(GPU_ONCE:%.c=$(B)/%.o)
  CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(realpath $(shell command -v $(NVCC))))
  CPP_FLAGS += -isystem $(CUDA_HOME)/include
  LIBS      += -L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/lib -lcudart_static -ldl -lrt
  # Machine code for each major architecture that nvcc knows: it runs on its minor ones, too. On GPUs
  # newer than all of these, the driver compiles the last one's PTX at the first run.
  GPU_ARCHS ?= $(filter $(shell $(NVCC) --list-gpu-code 2>/dev/null),sm_75 sm_80 sm_90 sm_100 sm_110 sm_120)
  NEWEST    := $(patsubst sm_%,%,$(lastword $(GPU_ARCHS)))
  COMPRESS  := $(if $(shell $(NVCC) --help 2>/dev/null | grep compress-mode),-compress-mode=size,-Xfatbin -compress-all)
  NVCC_FLAGS := -std=c++17 -O3 $(COMPRESS) -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror,-fno-threadsafe-statics,-fPIC,-fvisibility=hidden --threads 0 \
                $(foreach arch,$(patsubst sm_%,%,$(GPU_ARCHS)),-gencode arch=compute_$(arch),code=sm_$(arch)) \
                -gencode arch=compute_$(NEWEST),code=compute_$(NEWEST)
else
  NARROW    += $(call absent,gpu engines/gpu)
  WIDE      += $(call absent,gpu)
endif
WIDE_64  := $(WIDE)
WIDE_128 := $(WIDE) $(call present,$(RECORD_ROOMS))

# The objects of sources below a folder, one for all of a room that is compiled as one file.
objects  = $(addprefix $(1)/,$(patsubst %,%.o,$(basename $(filter-out $(WHOLE:%=sort/%/%.c),$(2)))) \
           $(foreach room,$(WHOLE),$(if $(filter sort/$(room)/%.c,$(2)),sort/$(room).o)))
MAIN     := $(B)/cli/main.o
# Where GCC is the compiler, its OpenMP runtime is not linked: this stands in.
TEAM     := $(B)/common/memory/team.o
GROUND   := $(filter-out $(if $(CLANG),$(TEAM)),$(call objects,$(B),$(call present,$(COMMON) types check)))
OBJECTS  := $(filter-out $(MAIN) $(if $(CLANG),$(TEAM)),$(call objects,$(B),$(call present,$(ROOMS)) $(NARROW))) $(WIDTHS:%=$(B)/width%.o)
NO_MPI   := $(call objects,$(B),$(call absent,$(MPI_ROOMS)))
MPI_OBJECTS := $(call objects,$(M),$(call present,$(MPI_ROOMS)))
OBJECTS  += $(NO_MPI)
wide_objects = $(call objects,$(B)/w$(1),$(WIDE_$(1)))
# -O3 where the keys' time goes, -Os for what leads there.
COMBINING := sort/files/combine.c sort/files/part_table.c
ifeq ($(origin CFLAGS),file)
  in_widths = $(foreach width,$(B) $(WIDTHS:%=$(B)/w%),$(1:%=$(width)/sort/%.o))
  $(call in_widths,keys bin split/search_bins ways/few_values) $(call objects,$(B),$(call present,split/u32) common/formats/codec.c common/formats/codec_weave.c) \
  $(B)/sort/cpu.o $(call objects,$(B),$(COMBINING)) $(call objects,$(B),sort/shuffle/dealing.c sort/shuffle/draw.c) $(M)/sort/cluster/deal.o $(M)/sort/cluster/ranges.o: private CFLAGS += -O3
  $(call in_widths,sorter pipeline/distribute pipeline/incoming pipeline/pipeline) $(call objects,$(B),$(filter-out $(COMBINING),$(call present,cli files))) \
  $(patsubst %,$(B)/%.o,common/formats/format_parse common/formats/key_type common/formats/date common/files/input common/files/mapped_inputs common/formats/npy common/formats/npy_format common/formats/npy_literal common/formats/npy_plain common/formats/npy_rows common/formats/npy_type common/files/output common/files/tempfile): private CFLAGS += -Os
endif
TOOLS    := build/keygen build/reference build/fuzz_options build/peak build/faults.so build/refuse.so $(call is,FUSE,build/quirkfs)
UNITS_32 := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))
# Those that hold for keys of every width.
WIDE_UNITS := cache_sort cache_sort_methods copy_ordered cost_pieces external_split few_values incoming merge_cut merge_segment merge_verify \
              order ordered_input ordered_runs shares splitters
UNITS    := $(UNITS_32) $(foreach width,$(WIDTHS),$(WIDE_UNITS:%=$(B)/unit/test_%_$(width)))
PROGRAMS := gsort $(call is,MPI,gsort-mpi)

# Before a command: make its target's directory, and unless V=1 print a word instead of the command.
quiet = $(if $(filter 1,$(V)),,@)mkdir -p $(@D);$(if $(filter 1,$(V)),, printf '  %-5s %s\n' '$(1)' '$@';)
compile_c = $(call quiet,CC)$(CC) $(CPP_FLAGS) $(OWN_FLAGS) $(CPPFLAGS) $(C_FLAGS) $(CFLAGS) $(SANITIZE) -c $< -o $@

## Build
##   all              ./gsort and build/keygen (default); MPI=1: ./gsort-mpi, too
##   tools            what the tests need besides
##   units            the unit tests, built and not run
##   demo             sort generated keys and check the result
##   clean            all that was built, away
.PHONY: all tools units demo help clean FORCE
all: $(PROGRAMS) build/keygen
tools: $(TOOLS)

# The lines of all parts that begin with ##, and what is built now.
help:
	@sed -n 's/^## \{0,1\}//p' Makefile $(PARTS)
	@printf '\n%s\n' 'Switches: CUDA=0|1 HIGHWAY=0|1 HDF5=0|1 FUSE=0|1 MPI=0|1 MPICC= STATIC=0|1 DEBUG=0|1 V=0|1 WERROR=; now CUDA=$(CUDA) HIGHWAY=$(HIGHWAY) FUSE=$(FUSE)'

# ./gsort is the configuration built last; build/last.mk keeps the variables given to that make, as
# arguments or in its environment.
quoted = $(subst ','"'"',$(1))
GIVEN := $(foreach name,CC CXX CPPFLAGS CFLAGS CXXFLAGS LDFLAGS WERROR PKG_CONFIG CUDA_HOME GPU_ARCHS,$(if \
             $(filter command environment,$(origin $(name))),$(name)))
whole_path = $(or $(shell command -v $($(1))),$($(1)))
copy = @cmp -s $< $@ || { cp $< $@.new && mv $@.new $@; }
gsort: $(B)/gsort FORCE
	$(copy)
	@$(if $(filter install,$(MAKECMDGOALS)),[ -e build/last.mk ] ||) printf '%s\n' \
	    $(foreach name,CUDA HIGHWAY HDF5 MPI STATIC,'$(name) ?= $($(name))') $(foreach name,NVCC MPICC,'$(name) ?= $(call whole_path,$(name))') \
	    'BUILT_COMMIT := $(COMMIT)' $(foreach name,$(GIVEN),'$(name) := $(call quoted,$(value $(name)))') >build/last.mk
gsort-mpi: $(M)/gsort-mpi FORCE
	$(copy)

# The program, and the same for several processes, by the compiler's wrapper of one MPI library or another.
MPIRUN ?= $(patsubst mpicc%,mpirun%,$(notdir $(MPICC)))
MPI_CC := OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC)
link = $(call quiet,LINK)$(CC) $(CFLAGS) $(SANITIZE) $(if $(CLANG),-fopenmp) $(LINK_FLAGS) $(LDFLAGS) $^ $(LIBS) -o $@
$(B)/gsort: $(MAIN) $(OBJECTS)
	$(link)
$(M)/gsort-mpi: private CC := $(MPI_CC)
$(M)/gsort-mpi: $(MAIN) $(filter-out $(NO_MPI),$(OBJECTS)) $(MPI_OBJECTS)
	$(link)

# The flags of the last build: if CFLAGS or LDFLAGS change, everything is rebuilt; for another commit, one file.
FLAGS_NOW := $(CC) $(CPPFLAGS) $(CPP_FLAGS) $(C_FLAGS) $(CFLAGS) $(SANITIZE) $(CXX) $(CXX_FLAGS) $(CXXFLAGS) $(NVCC_FLAGS) \
             $(LINK_FLAGS) $(LDFLAGS) $(LIBS)
VERSION_NOW := -DGS_VERSION='"$(VERSION)"' -DGS_COMMIT='"$(COMMIT)"' -DGS_GPU_ARCHS='"$(GPU_ARCHS)"' -DGS_HDF5=$(HDF5)
define kept
$(1): FORCE
	@mkdir -p $$(@D); echo '$$(call quoted,$$($(2)))' | cmp -s - $$@ || echo '$$(call quoted,$$($(2)))' >$$@
endef
$(eval $(call kept,$(B)/flags,FLAGS_NOW))
$(eval $(call kept,$(B)/version,VERSION_NOW))
$(B)/cli/version.o: private OWN_FLAGS := $(VERSION_NOW)
$(B)/cli/version.o: $(B)/version

# The library that is opened when it is needed, by its name for programs: libhdf5.so leads to libhdf5.so.103.3.1.
ifeq ($(HDF5),1)
  HDF5_PLACES := $(shell PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 $(PKG_CONFIG) --libs-only-L hdf5)
  HDF5_FILE   := $(notdir $(realpath $(firstword $(wildcard $(HDF5_PLACES:-L%=%/libhdf5.so)))))
  HDF5_LIBRARY := $(shell echo '$(HDF5_FILE)' | sed 's/\(\.so\.[0-9]*\).*/\1/')
  $(if $(HDF5_LIBRARY),,$(error HDF5=1, but there is no libhdf5.so in $(HDF5_PLACES)))
$(B)/common/formats/hdf5.o: private OWN_FLAGS := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags hdf5)) -DGS_HDF5_LIBRARY='"$(HDF5_LIBRARY)"'
endif

# All files of a room as one: written again when there are others.
files_in = $(patsubst "%",%,$(filter "%",$(file <$(1))))
differ = $(filter-out $(1),$(2))$(filter-out $(2),$(1))
define whole_room
$(1): $(if $(call differ,$(call files_in,$(1)),$(2)),FORCE)
	@mkdir -p $$(@D); printf '#include "%s"\n' $(2) >$$@
endef
in_room = $(call whole_room,$(1)/sort/$(2).c,$(filter sort/$(2)/%.c,$(3)))
$(foreach room,$(WHOLE),$(eval $(call in_room,$(B),$(room),$(NARROW)))\
    $(foreach width,$(WIDTHS),$(eval $(call in_room,$(B)/w$(width),$(room),$(WIDE_$(width))))))

define compile
$(1)/%.o: %.c $(B)/flags
	$$(compile_c)

$(1)/%.o: $(1)/%.c $(B)/flags
	$$(compile_c)

$(1)/%.o: %.cc $(B)/flags
	$$(call quiet,CXX)$$(CXX) $$(CPP_FLAGS) $$(OWN_FLAGS) $$(CPPFLAGS) $$(CXX_FLAGS) $$(CXXFLAGS) $$(SANITIZE) -c $$< -o $$@

$(1)/%.o: %.cu $(B)/flags
	$$(call quiet,NVCC)$$(NVCC) -I. -MMD -MP $$(OWN_FLAGS) $$(NVCC_FLAGS) -c $$< -o $$@
endef
$(foreach place,$(B) $(M) $(WIDTHS:%=$(B)/w%),$(eval $(call compile,$(place))))
# MPICH's MPI_STATUSES_IGNORE is address 1, which GCC takes for an array without room.
$(M)/%.o: private CC := $(MPI_CC)
$(M)/%.o: private OWN_FLAGS := $(if $(CLANG),,-Wno-stringop-overflow)

# Unit tests: linked with what they need of everything but main(). Archives of links to the objects
# take half the time and a third of the room; -O2, a third less than -O3, and the tests are as fast.
UNIT_CFLAGS = $(CFLAGS:-O3=-O2)
define unit
$(B)/unit$(1).a:
	$$(call quiet,AR)rm -f $$@ && $$(AR) rcT $$@ $$^
$(B)/unit/%$(1): tests/unit/%.c $(B)/unit$(1).a $(B)/flags
	$$(call quiet,UNIT)$$(CC) $$(CPP_FLAGS) $$(OWN_FLAGS) $$(CPPFLAGS) $$(C_FLAGS) $$(UNIT_CFLAGS) $$(SANITIZE) $$(LDFLAGS) $$< $(B)/unit$(1).a $$(LIBS) -o $$@
endef
# Each wider build is one object file that shows nothing but its table of calls and its sort by tags (that of 128 bits, the table
# for records, too).
define wider
$(B)/w$(1)/%.o $(B)/unit/%_$(1) $(B)/bench_%_$(1): private OWN_FLAGS := -DGS_BITS=$(1)
$(B)/width$(1).o: $(call wide_objects,$(1))
	$$(call quiet,LD)$$(CC) -r -nostdlib -Wl,--force-group-allocation $$^ -o $$@.all && $$(OBJCOPY) --keep-global-symbol=gs_width_$(1) --keep-global-symbol=gs_tag_sort_$(1) --keep-global-symbol=gs_width_records $$@.all $$@ && rm $$@.all
$(B)/unit_$(1).a: $(call wide_objects,$(1)) $(GROUND) $(ONCE)
endef
$(B)/unit.a: $(OBJECTS)
$(foreach width,$(WIDTHS),$(eval $(call wider,$(width)))$(eval $(call unit,_$(width))))
$(eval $(call unit,))
# The test of plans counts them: of keys, and of records, which are sorted with those of 128 bits.
UNITS    += $(if $(filter 128,$(WIDTHS)),$(B)/unit/test_plans_128)
$(B)/unit/test_plans: private LDFLAGS += -Wl,--wrap=gs_plan_make
$(B)/unit/test_plans_128: private LDFLAGS += -Wl,--wrap=gs_plan_make $(B)/width64.o
$(B)/unit/test_plans_128: $(B)/width64.o
units: $(UNITS)

TOOL_FLAGS := -I. -D_GNU_SOURCE -std=c11 $(WARNINGS) -Wconversion -O2
build/keygen: $(patsubst %,build/tools/%.o,data/keygen data/dist data/typed common/formats/format_parse common/formats/key_type common/formats/date common/formats/zorder common/formats/type_hint common/nearest_word common/status)
build/reference: $(patsubst %,build/tools/tests/tools/reference%.o,_fail _numbers _records) build/tools/tests/tools/reference.o
build/fuzz_options: build/tools/tests/fuzz/fuzz_options.o
build/peak: build/tools/tests/tools/peak.o
$(filter-out %.so %/quirkfs,$(TOOLS)):
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lm -o $@

# Libraries to be preloaded, which make system calls fail.
build/faults.so: tests/faults/shim.c
build/refuse.so: tests/faults/refuse.c
build/%.so:
	$(call quiet,LINK)$(CC) $(TOOL_FLAGS) -shared -fPIC $< -o $@

# A file system with quirks, to be mounted by tests.
build/quirkfs: tests/faults/quirkfs.c
	$(call quiet,LINK)$(CC) $(TOOL_FLAGS) $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags fuse3)) $< $(shell $(PKG_CONFIG) --libs fuse3) -o $@

build/tools/%.o: %.c
	$(call quiet,CC)$(CC) $(TOOL_FLAGS) -MMD -MP -c $< -o $@

##
## Test
##   check            unit tests and Bats suite on the CPU; needs bats
##                    TESTS='FILE...|unit|unit/NAME', BATS_JOBS=N files at a time
##   check-expensive  the same with the long tests, and with all combinations of options
##   lint             the rules of the house, clang-format, shellcheck, cppcheck, clang-tidy
.PHONY: check check-expensive lint
SUITE = GSORT='$(CURDIR)/$(B)/gsort' KEYGEN='$(CURDIR)/build/keygen' REFERENCE='$(CURDIR)/build/reference' \
        FUZZ_OPTIONS='$(CURDIR)/build/fuzz_options' FAULTS='$(CURDIR)/build/faults.so' \
        GSORT_MPI='$(call is,MPI,$(CURDIR)/$(M)/gsort-mpi)' MPIRUN='$(MPIRUN)' \
        LIBRARY='$(CURDIR)/$(B)/installed' QUIRKFS='$(call is,FUSE,$(CURDIR)/build/quirkfs)' UNITS='$(CURDIR)/$(B)/unit' CUDA=$(CUDA) $(BATS) --recursive
need_bats = @$(BATS) --version 2>/dev/null | awk '{ split($$2, v, "."); ok = v[1] * 100 + v[2] >= 105 } END { exit !ok }' || \
            { echo 'make $@ needs bats 1.5 or newer: install the package bats' >&2; exit 2; }
# TESTS: Bats files or directories, or unit, for the unit tests, or unit/NAME. BATS_JOBS files run at a time, two more than
# there are processors, since tests wait for disks, pipes and clocks; without GNU parallel, only one.
TESTS     ?= unit tests
unit_named = $(filter $(B)/unit/test_$(1) $(WIDTHS:%=$(B)/unit/test_$(1)_%),$(UNITS))
UNITS_NOW  = $(foreach word,$(TESTS),$(if $(filter unit,$(word)),$(UNITS),$(call unit_named,$(word:unit/%=%))))
UNIT_LISTS = $(if $(UNITS_NOW),$(B)/unit.bats $(B)/unit_wide.bats)
TESTS_NOW  = $(UNIT_LISTS) $(filter-out unit unit/%,$(TESTS))
BATS_JOBS ?= $(shell nproc | awk '{ print $$1 < 3 ? $$1 + 2 : 4 }')
export PARALLEL_HOME = $(CURDIR)/build/parallel
side_by_side = $(shell [ '$(BATS_JOBS)' -gt 1 ] && parallel --version 2>/dev/null | grep -q '^GNU parallel' && \
               echo --jobs '$(BATS_JOBS)' --no-parallelize-within-files)
$(B)/unit.bats $(B)/unit_wide.bats: tests/unit/list.sh FORCE
	@mkdir -p $(B); tests/unit/list.sh $(filter $(if $(findstring wide,$@),%_64 %_128,$(UNITS_32)),$(UNITS_NOW)) >$@
check: $(if $(filter-out unit/%,$(TESTS)),all tools $(B)/installed/lib/pkgconfig/gsort.pc) $(UNITS_NOW) $(UNIT_LISTS)
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

PARTS := mk/package.mk mk/library.mk mk/hostile.mk mk/bench.mk mk/gpu.mk
include $(PARTS)

clean:
	rm -rf build gsort gsort-mpi gsort-*.tar.gz keysort_*.deb

FORCE:
-include $(shell find build -name '*.d' -type f 2>/dev/null)
