# gsort: build, test, install. `make help` lists the targets.
# SPDX-License-Identifier: MIT
VERSION := 0.2.0

# `make install` takes the settings of the last build: under sudo, PATH may lack nvcc, and nobody repeats CFLAGS=.
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
BATS       ?= bats
# -g1: functions and lines for backtraces; variables for a debugger cost a quarter of the build: CFLAGS='-Og -g'.
CFLAGS     ?= -O2 -g1 -fno-asynchronous-unwind-tables
CXXFLAGS   ?= -O2 -g1
# Empty if another compiler has more warnings.
WERROR     ?= -Werror

# Switches are 0 or 1. Optional dependencies are detected when unset; 0 leaves one out, 1 requires it.
have    = $(if $(shell command -v $(1) 2>/dev/null),1,0)
library = $(if $(shell $(PKG_CONFIG) --exists '$(1)' 2>/dev/null && echo 1),1,0)
there_is_HIGHWAY := $(if $(filter 11,$(call library,libhwy-contrib >= 1.0)$(call have,$(CXX))),1,0)
there_is_CUDA    := $(call have,$(NVCC))
there_is_FUSE    := $(call library,fuse3)
there_is_HDF5    := $(call library,hdf5)
there_is_MPI     := $(call have,$(MPICC))
$(foreach name,DEBUG STATIC V HDF5 MPI,$(eval $(name) ?= 0))
HIGHWAY ?= $(if $(filter 1,$(STATIC)),0,$(there_is_HIGHWAY))
CUDA    ?= $(if $(filter 1,$(STATIC)),0,$(there_is_CUDA))
FUSE    ?= $(there_is_FUSE)
check = $(if $(filter 0 1,$($(1))),,$(error $(1)=$($(1)): must be 0 or 1))$(if $(filter \
        10,$($(1))$(there_is_$(1))),$(error $(1)=1, but there is no $(2)))
$(foreach name,DEBUG STATIC V,$(call check,$(name)))
$(call check,HIGHWAY,libhwy-contrib 1.0 or no $(CXX): install libhwy-dev pkg-config g++)
$(call check,CUDA,$(NVCC): install the CUDA toolkit or say where it is by NVCC=...)
$(call check,FUSE,fuse3: install libfuse3-dev and pkg-config)
$(call check,HDF5,hdf5: install libhdf5-dev and pkg-config)
$(call check,MPI,$(MPICC): install libopenmpi-dev or libmpich-dev or say where it is by MPICC=...)
is = $(if $(filter 1,$($(1))),$(2))
$(if $(filter 1%,$(filter-out 10000,$(STATIC)$(CUDA)$(HIGHWAY)$(HDF5)$(MPI))),\
  $(error STATIC=1 goes without CUDA, HIGHWAY, HDF5 and MPI))

# Objects below build/, in a folder for what is built; of gsort-mpi, one for each MPI library.
B      := build/cuda$(CUDA)-highway$(HIGHWAY)$(call is,HDF5,-hdf5)$(call is,DEBUG,-debug)$(call is,STATIC,-static)
B      := $(B)$(CONFIG_SUFFIX)
M      := $(B)/$(notdir $(MPICC))
MACROS := $(shell $(CC) -dM -E - </dev/null)
CLANG  := $(findstring __clang__,$(MACROS))

# Without optimization, GCC's intrinsics are macros, which -Wsign-conversion complains about.
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
SANITIZE  :=

# The rooms of the house (sort/README.md): what is in none that is named here is compiled once.
HOUSE      := $(sort $(shell find common sort cli -name '*.c' -o -name '*.cc' -o -name '*.cu'))
in_rooms    = $(filter $(1:%=sort/%/%),$(HOUSE))
# Only in gsort-mpi; elsewhere cluster_absent.c stands in.
CLUSTER    := $(call in_rooms,cluster)
# Vector code for 32-bit keys on x86-64; elsewhere *_absent.c stand in.
WINGS      := $(call in_rooms,keys/u32 bin/u32 split/u32)
# On a GPU: what is for keys of 32 bits, for wider ones, and there once, as the GPU is.
GPU        := $(call in_rooms,device gpu engines/gpu)
GPU_NARROW := $(filter-out sort/device/wide/%,$(GPU))
GPU_ONCE   := sort/gpu/gpu_start.c sort/device/gpu_call.c sort/device/device_reports.c
GPU_WIDE   := $(filter-out sort/device/u32/% sort/engines/gpu/% $(GPU_ONCE),$(GPU))
# Compiled for keys of 32 bits, and again for wider ones.
KEY_ROOMS  := keys bin split run merge cpu ways pipeline engines sorter external width
KEYS       := $(filter-out $(WINGS) $(GPU),$(call in_rooms,$(KEY_ROOMS)))
# Records: by tags of 64 or 128 bits; what is for all records is compiled once, with the latter.
TAGS       := $(call in_rooms,tags)
RECORDS    := $(call in_rooms,wide)
# Rooms that are compiled as one file: to read the headers for each of their files would take a sixth longer.
WHOLE      := keys bin run merge cpu engines sorter external width tags wide

# What stands in for others, and what does not. Where GCC is the compiler, team.c stands in for its OpenMP runtime.
absent      = $(filter %_absent.c,$(1))
present     = $(filter-out %_absent.c $(LEFT_OUT),$(filter %.c,$(1))) $(filter $(HDF5_SOURCE),$(1))
HDF5_SOURCE := common/formats/hdf5$(if $(filter 0,$(HDF5)),_absent).c
LEFT_OUT   := common/formats/hdf5.c $(if $(CLANG),common/memory/team.c)
ONCE       := $(call present,$(filter-out $(CLUSTER) $(WINGS) $(GPU) $(KEYS) $(TAGS) $(RECORDS),$(HOUSE)))

# The sources for 32 bits and for wider keys, which have neither vector code nor the engines of 32-bit lists.
NARROW   := $(call present,$(KEYS)) $(call $(if $(findstring __x86_64__,$(MACROS)),present,absent),$(WINGS))
WIDE     := $(filter-out sort/engines/%,$(call present,$(KEYS) $(TAGS))) sort/engines/list_engines.c \
            sort/engines/engine_absent.c $(call absent,$(WINGS) $(filter sort/engines/%,$(GPU)))
ifeq ($(HIGHWAY),1)
  NARROW    += $(filter %.cc,$(KEYS))
  WIDE      += $(filter sort/bin/%.cc,$(KEYS))
  LIBS      += $(shell $(PKG_CONFIG) --libs libhwy-contrib libhwy)
  CPP_FLAGS += $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags libhwy-contrib))
else
  NARROW    += sort/bin/vqsort_absent.c
  WIDE      += sort/bin/vqsort_absent.c
endif
ifeq ($(CUDA),1)
  NARROW    += $(call present,$(GPU_NARROW)) $(filter %.cu,$(GPU_NARROW))
  WIDE      += $(call present,$(GPU_WIDE)) $(filter %.cu,$(GPU_WIDE)) $(call absent,$(filter sort/device/%,$(GPU)))
  CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(realpath $(shell command -v $(NVCC))))
  CPP_FLAGS += -isystem $(CUDA_HOME)/include
  LIBS      += -L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/lib -lcudart_static -ldl -lrt
  # Machine code for each major architecture that nvcc knows: it runs on its minor ones, too. On GPUs
  # newer than all of these, the driver compiles the last one's PTX at the first run.
  GPU_ARCHS ?= $(filter $(shell $(NVCC) --list-gpu-code 2>/dev/null),sm_75 sm_80 sm_90 sm_100 sm_110 sm_120)
  NEWEST    := $(patsubst sm_%,%,$(lastword $(GPU_ARCHS)))
  COMPRESS  := $(if $(shell $(NVCC) --help 2>/dev/null | grep compress-mode),-compress-mode=size,-Xfatbin -compress-all)
  NVCC_FLAGS := -std=c++17 -O3 $(COMPRESS) -Werror all-warnings --threads 0 \
                -Xcompiler -Wall,-Wextra,-Werror,-fno-threadsafe-statics,-fPIC,-fvisibility=hidden \
                $(foreach arch,$(patsubst sm_%,%,$(GPU_ARCHS)),-gencode arch=compute_$(arch),code=sm_$(arch)) \
                -gencode arch=compute_$(NEWEST),code=compute_$(NEWEST)
else
  NARROW    += $(call absent,$(filter-out sort/device/%,$(GPU)))
  WIDE      += $(call absent,$(filter sort/gpu/%,$(GPU)))
endif

# The objects of sources below a folder, one for all of a room that is compiled as one file.
objects  = $(addprefix $(1)/,$(patsubst %,%.o,$(basename $(filter-out $(WHOLE:%=sort/%/%.c),$(2)))) \
           $(foreach room,$(WHOLE),$(if $(filter sort/$(room)/%.c,$(2)),sort/$(room).o)))
MAIN     := $(B)/cli/main.o
NO_MPI   := $(call objects,$(B),$(call absent,$(CLUSTER)))
OBJECTS  := $(filter-out $(MAIN),$(call objects,$(B),$(ONCE) $(NARROW))) $(B)/width64.o $(B)/width128.o $(NO_MPI)
WIDE_128 := $(WIDE) $(call present,$(RECORDS))
WIDE_64_OBJECTS  := $(call objects,$(B)/w64,$(WIDE))
WIDE_128_OBJECTS := $(call objects,$(B)/w128,$(WIDE_128))
# What the wider ones need beside their own.
GROUND   := $(call objects,$(B),$(filter common/% sort/types/% sort/check/%,$(ONCE)) $(filter $(GPU_ONCE),$(NARROW)))
PROGRAMS := gsort $(call is,MPI,gsort-mpi)
TOOLS    := build/keygen build/reference build/fuzz_options build/peak build/faults.so build/refuse.so \
            $(call is,FUSE,build/quirkfs)

# -Os for what leads to the keys, -O3 where their time goes; an object's own -O3 comes behind its folder's -Os.
ifeq ($(origin CFLAGS),file)
  in_widths = $(foreach place,$(B) $(B)/w64 $(B)/w128,$(1:%=$(place)/sort/%.o))
  $(call in_widths,sorter pipeline/distribute pipeline/incoming pipeline/pipeline) $(B)/cli/%.o $(B)/sort/files/%.o \
  $(B)/common/files/%.o $(B)/common/formats/npy%.o \
  $(patsubst %,$(B)/common/formats/%.o,format_parse key_type date npy): private CFLAGS += -Os
  $(call in_widths,keys bin split/search_bins ways/few_values) $(B)/sort/split/u32/%.o $(B)/common/formats/codec.o \
  $(B)/common/formats/codec_weave.o $(patsubst %,$(B)/sort/files/%.o,combine set_match part_table word_counts) \
  $(patsubst %,$(B)/sort/%.o,cpu shuffle/dealing shuffle/draw) \
  $(M)/sort/cluster/deal.o $(M)/sort/cluster/ranges.o: private CFLAGS += -O3
endif
# Before a command: make its target's directory, and unless V=1 print a word instead of the command.
quiet = $(if $(filter 1,$(V)),,@)mkdir -p $(@D);$(if $(filter 1,$(V)),, printf '  %-5s %s\n' '$(1)' '$@';)
all_cpp_flags = $(CPP_FLAGS) $(OWN_FLAGS) $(CPPFLAGS)
c_flags = $(all_cpp_flags) $(C_FLAGS) $(CFLAGS) $(SANITIZE)
quoted = $(subst ','"'"',$(1))

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
	@printf '\n%s %s\n' 'Switches: CUDA=0|1 HIGHWAY=0|1 HDF5=0|1 FUSE=0|1 MPI=0|1 MPICC= STATIC=0|1 DEBUG=0|1 V=0|1' \
	    'WERROR=; now CUDA=$(CUDA) HIGHWAY=$(HIGHWAY) FUSE=$(FUSE)'

# ./gsort is the configuration built last, and build/last.mk its settings.
SETTINGS := CUDA HIGHWAY HDF5 MPI STATIC CC CXX CPPFLAGS CFLAGS CXXFLAGS LDFLAGS WERROR PKG_CONFIG CUDA_HOME GPU_ARCHS
whole_path = $(or $(shell command -v $($(1))),$($(1)))
copy = @cmp -s $< $@ || { cp $< $@.new && mv $@.new $@; }
gsort: $(B)/gsort FORCE
	$(copy)
	$(if $(filter install,$(MAKECMDGOALS)),,@printf '%s\n' 'BUILT_COMMIT := $(COMMIT)' \
	    $(foreach name,$(SETTINGS),'$(name) := $(call quoted,$($(name)))') \
	    $(foreach name,NVCC MPICC,'$(name) := $(call whole_path,$(name))') >build/last.mk)
gsort-mpi: $(M)/gsort-mpi FORCE
	$(copy)

# The program, and the same for several processes, by the compiler's wrapper of one MPI library or another.
MPIRUN ?= $(patsubst mpicc%,mpirun%,$(notdir $(MPICC)))
MPI_CC := OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC)
$(B)/gsort: $(MAIN) $(OBJECTS)
$(M)/gsort-mpi: $(MAIN) $(filter-out $(NO_MPI),$(OBJECTS)) $(call objects,$(M),$(call present,$(CLUSTER)))
$(B)/gsort $(M)/gsort-mpi:
	$(call quiet,LINK)$(CC) $(CFLAGS) $(SANITIZE) $(if $(CLANG),-fopenmp) $(LINK_FLAGS) $(LDFLAGS) $^ $(LIBS) -o $@
$(M)/gsort-mpi $(M)/%.o: private CC := $(MPI_CC)
# MPICH's MPI_STATUSES_IGNORE is address 1, which GCC takes for an array without room.
$(M)/%.o: private OWN_FLAGS := $(if $(CLANG),,-Wno-stringop-overflow)

# Each wider build is one object file that shows nothing but its tables of calls and its sort by tags.
$(B)/width64.o: $(WIDE_64_OBJECTS)
$(B)/width128.o: $(WIDE_128_OBJECTS)
$(B)/width64.o $(B)/width128.o: $(B)/width%.o:
	$(call quiet,LD)$(CC) -r -nostdlib -Wl,--force-group-allocation $^ -o $@.all && \
	    $(OBJCOPY) --keep-global-symbol=gs_width_$* --keep-global-symbol=gs_tag_sort_$* \
	        --keep-global-symbol=gs_width_records $@.all $@ && rm $@.all
of_width = $(B)/w$(1)/%.o $(B)/unit/%_$(1) $(B)/bench_%_$(1) $(B)/bench_%_$(1).peers.o $(B)/%-$(1) $(B)/%-$(1).o $(B)/%-$(1).call.o $(B)/%-$(1).cub.o
$(call of_width,64): private OWN_FLAGS := -DGS_BITS=64
$(call of_width,128): private OWN_FLAGS := -DGS_BITS=128

# The flags of the last build: if CFLAGS or LDFLAGS change, everything is rebuilt; for another commit, one file.
$(B)/flags: private NOW := $(CC) $(c_flags) $(CXX) $(CXX_FLAGS) $(CXXFLAGS) $(NVCC_FLAGS) \
                           $(LINK_FLAGS) $(LDFLAGS) $(LIBS)
VERSION_NOW := -DGS_VERSION='"$(VERSION)"' -DGS_COMMIT='"$(COMMIT)"' -DGS_GPU_ARCHS='"$(GPU_ARCHS)"' -DGS_HDF5=$(HDF5)
$(B)/version: private NOW := $(VERSION_NOW)
$(B)/flags $(B)/version: FORCE
	@mkdir -p $(@D); echo '$(call quoted,$(NOW))' | cmp -s - $@ || echo '$(call quoted,$(NOW))' >$@
$(B)/cli/version.o: private OWN_FLAGS := $(VERSION_NOW)
$(B)/cli/version.o: $(B)/version

# The library that is opened when it is needed, by its name for programs: libhdf5.so leads to libhdf5.so.103.3.1.
ifeq ($(HDF5),1)
  HDF5_PLACES := $(shell PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 $(PKG_CONFIG) --libs-only-L hdf5)
  HDF5_FILE   := $(notdir $(realpath $(firstword $(wildcard $(HDF5_PLACES:-L%=%/libhdf5.so)))))
  HDF5_LIBRARY := $(shell echo '$(HDF5_FILE)' | sed 's/\(\.so\.[0-9]*\).*/\1/')
  $(if $(HDF5_LIBRARY),,$(error HDF5=1, but there is no libhdf5.so in $(HDF5_PLACES)))
$(B)/common/formats/hdf5.o: private OWN_FLAGS := -DGS_HDF5_LIBRARY='"$(HDF5_LIBRARY)"' \
    $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags hdf5))
endif

# Objects, in places for 32-bit keys and all else, for wider keys, and for gsort-mpi alone.
compile_c = $(call quiet,CC)$(CC) $(c_flags) -c $< -o $@
define compile
$(1)/%.o: %.c $(B)/flags
	$$(compile_c)
$(1)/%.o: %.cc $(B)/flags
	$$(call quiet,CXX)$$(CXX) $$(all_cpp_flags) $$(CXX_FLAGS) $$(CXXFLAGS) $$(SANITIZE) -c $$< -o $$@
$(1)/%.o: %.cu $(B)/flags
	$$(call quiet,NVCC)$$(NVCC) -I. -MMD -MP $$(OWN_FLAGS) $$(NVCC_FLAGS) -c $$< -o $$@
endef
$(foreach place,$(B) $(M) $(B)/w64 $(B)/w128,$(eval $(call compile,$(place))))
# A room as one file. Its folders are newer when it has other files. keys.h is first: -MP lets all but the first go.
define whole_room
$(1): $(2) $(sort $(dir $(2))) $(B)/flags
	$$(call quiet,CC)$$(CC) $$(c_flags) $(addprefix -include ,common/formats/keys.h $(2)) -x c -c - -o $$@ </dev/null
endef
whole_rooms = $(foreach room,$(WHOLE),$(if $(filter sort/$(room)/%.c,$(2)),\
              $(eval $(call whole_room,$(1)/sort/$(room).o,$(filter sort/$(room)/%.c,$(2))))))
$(call whole_rooms,$(B),$(NARROW))$(call whole_rooms,$(B)/w64,$(WIDE))$(call whole_rooms,$(B)/w128,$(WIDE_128))

# Unit tests: linked with what they need of everything but main(). Archives of links to the objects
# take half the time and a third of the room; -O2, a third less than -O3, and the tests are as fast.
$(B)/unit.a: $(OBJECTS)
$(B)/unit_64.a: $(WIDE_64_OBJECTS) $(GROUND)
$(B)/unit_128.a: $(WIDE_128_OBJECTS) $(GROUND)
$(B)/unit.a $(B)/unit_64.a $(B)/unit_128.a:
	$(call quiet,AR)rm -f $@ && $(AR) rcT $@ $^
unit = $(call quiet,UNIT)$(CC) $(c_flags:-O3=-O2) $(LDFLAGS) $< $(filter %.a,$^) $(LIBS) -o $@
$(B)/unit/%_64: tests/unit/%.c $(B)/unit_64.a $(B)/flags
	$(unit)
$(B)/unit/%_128: tests/unit/%.c $(B)/unit_128.a $(B)/flags
	$(unit)
$(B)/unit/%: tests/unit/%.c $(B)/unit.a $(B)/flags
	$(unit)
# Those that hold for keys of every width; and the test of plans counts them, of records by tags of both widths.
WIDE_UNITS := cache_sort cache_sort_methods copy_ordered cost_pieces external_split few_values incoming merge_cut \
              merge_segment merge_verify order ordered_input ordered_runs shares splitters
UNITS_32   := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))
UNITS_WIDE := $(foreach width,64 128,$(WIDE_UNITS:%=$(B)/unit/test_%_$(width))) $(B)/unit/test_plans_128
UNITS      := $(UNITS_32) $(UNITS_WIDE)
$(B)/unit/test_plans: private LDFLAGS += -Wl,--wrap=gs_plan_make
$(B)/unit/test_plans_128: private LDFLAGS += -Wl,--wrap=gs_plan_make $(B)/width64.o
$(B)/unit/test_plans_128: $(B)/width64.o
units: $(UNITS)

TOOL_FLAGS := -I. -D_GNU_SOURCE -std=c11 $(WARNINGS) -Wconversion -O2
build/keygen: $(patsubst %,build/tools/%.o,data/keygen data/dist data/typed common/nearest_word common/status \
    $(addprefix common/formats/,format_parse key_type date zorder type_hint))
build/reference: $(patsubst %.c,build/tools/%.o,$(wildcard tests/tools/reference*.c))
build/fuzz_options: build/tools/tests/fuzz/fuzz_options.o
build/peak: build/tools/tests/tools/peak.o
build/keygen build/reference build/fuzz_options build/peak:
	$(call quiet,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lm -o $@
build/tools/%.o: %.c
	$(call quiet,CC)$(CC) $(TOOL_FLAGS) -MMD -MP -c $< -o $@
# Libraries to be preloaded, which make system calls fail.
build/faults.so: tests/faults/shim.c
build/refuse.so: tests/faults/refuse.c
build/%.so:
	$(call quiet,LINK)$(CC) $(TOOL_FLAGS) -shared -fPIC $< -o $@
# A file system with quirks, to be mounted by tests.
build/quirkfs: tests/faults/quirkfs.c
	$(call quiet,LINK)$(CC) $(TOOL_FLAGS) $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags fuse3)) $< \
	    $(shell $(PKG_CONFIG) --libs fuse3) -o $@

##
## Test
##   check            unit tests and Bats suite on the CPU; needs bats
##                    TESTS='FILE...|unit|unit/NAME', BATS_JOBS=N files at a time
##   check-expensive  the same with the long tests, and with all combinations of options
##   lint             the rules of the house, clang-format, shellcheck, cppcheck, clang-tidy
.PHONY: check check-expensive lint
SUITE = GSORT='$(CURDIR)/$(B)/gsort' GSORT_MPI='$(call is,MPI,$(CURDIR)/$(M)/gsort-mpi)' MPIRUN='$(MPIRUN)' \
        CUDA=$(CUDA) KEYGEN='$(CURDIR)/build/keygen' REFERENCE='$(CURDIR)/build/reference' UNITS='$(CURDIR)/$(B)/unit' \
        FUZZ_OPTIONS='$(CURDIR)/build/fuzz_options' FAULTS='$(CURDIR)/build/faults.so' \
        QUIRKFS='$(call is,FUSE,$(CURDIR)/build/quirkfs)' LIBRARY='$(CURDIR)/$(B)/installed'
need_bats = @$(BATS) --version 2>/dev/null | awk '{ split($$2, v, ".") } END { exit v[1] * 100 + v[2] < 105 }' || \
            { echo 'make $@ needs bats 1.5 or newer: install the package bats' >&2; exit 2; }
# BATS_JOBS: two more than there are processors, as tests wait for disks, pipes and clocks; without GNU parallel, one.
TESTS     ?= unit tests
UNITS_NOW  = $(if $(filter unit,$(TESTS)),$(UNITS),$(filter $(patsubst unit/%,$(B)/unit/test_%,\
             $(TESTS) $(TESTS:%=%_64) $(TESTS:%=%_128)),$(UNITS)))
UNIT_LISTS = $(if $(UNITS_NOW),$(B)/unit.bats $(B)/unit_wide.bats)
BATS_JOBS ?= $(shell nproc | awk '{ print $$1 < 3 ? $$1 + 2 : 4 }')
export PARALLEL_HOME = $(CURDIR)/build/parallel
side_by_side = $(shell [ '$(BATS_JOBS)' -gt 1 ] && parallel --version 2>/dev/null | grep -q '^GNU parallel' && \
               echo --jobs '$(BATS_JOBS)' --no-parallelize-within-files)
$(B)/unit.bats: private LISTED = $(filter $(UNITS_32),$(UNITS_NOW))
$(B)/unit_wide.bats: private LISTED = $(filter $(UNITS_WIDE),$(UNITS_NOW))
$(B)/unit.bats $(B)/unit_wide.bats: tests/unit/list.sh FORCE
	@mkdir -p $(B); tests/unit/list.sh $(LISTED) >$@
check: $(if $(filter-out unit/%,$(TESTS)),all tools $(B)/installed/lib/pkgconfig/gsort.pc) $(UNITS_NOW) $(UNIT_LISTS)
	$(need_bats)
	$(SUITE) $(BATS) --recursive $(side_by_side) $(UNIT_LISTS) $(filter-out unit unit/%,$(TESTS))

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
