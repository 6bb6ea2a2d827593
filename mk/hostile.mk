# hostile.mk -- tests that try to break gsort: faults, kills, fuzzing, sanitizers, valgrind
# SPDX-License-Identifier: MIT
##
## Hostile tests
##   check-faults     every call to the system made to fail once, and refused, in every mode; minutes; MPI=1: of ranks, too
##   check-kill       kill -9 at N=1000 random moments; SEED=n
##   torture          random runs and faults for MINUTES=10, compared with the reference; SEED=n; MPI=1: by ranks, too
##   fuzz             the parsers fuzzed, for MINUTES=10 each; needs clang and its libFuzzer
##   asan             the suite under ASan and UBSan, but for tests/tools; with ranks where there is MPI
##   tsan             all calls of the library, in two threads at once, under ThreadSanitizer
##   valgrind         a quick part of the suite, and the same calls
.PHONY: check-faults check-kill torture fuzz asan tsan every-call valgrind

# MODES of tests/faults/walk.sh; SEED=n repeats a random run.
MODES ?= all
check-faults torture: export GSORT_MPI = $(call is,MPI,$(M)/gsort-mpi)
check-faults torture: export MPIRUN := $(MPIRUN)
check-faults: all tools $(B)/gsort
	tests/faults/walk.sh $(B)/gsort build/faults.so build/keygen build/reference $(MODES)
	tests/faults/processors.sh $(B)/gsort build/keygen build/reference || [ $$? = 77 ]

N ?= 1000
check-kill: all tools $(B)/gsort
	tests/faults/kill.sh $(B)/gsort build/keygen build/reference $(N) $(SEED)

torture: all tools $(B)/gsort
	tests/faults/torture.sh $(B)/gsort build/faults.so build/keygen build/reference $(MINUTES) $(SEED)

# Fuzzing: only the parsers are compiled with clang's libFuzzer, the rest is linked as built.
FUZZ_CC ?= clang
FUZZERS := $(patsubst %,$(B)/fuzz/fuzz_%,command size format npy)
FUZZ_command := cli/options.c cli/option_list.c cli/option_values.c sort/files/record_format.c sort/files/npy_files.c cli/size_arg.c
FUZZ_size    := cli/size_arg.c
FUZZ_format  := $(filter-out %/hdf5.c,$(call present,common/formats)) common/nearest_word.c
FUZZ_npy     := $(FUZZ_format)
$(foreach name,command size format npy,$(eval $(B)/fuzz/fuzz_$(name): $(FUZZ_$(name))))
$(B)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(OBJECTS) $(B)/flags
	$(call quiet,FUZZ)$(FUZZ_CC) $(filter-out -MMD -MP,$(CPP_FLAGS)) -std=c11 -O1 -g \
	    -Dexit=fuzz_exit -Dgs_report_close_stdout=fuzz_close_stdout \
	    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all $(FUZZ_$*) $< \
	    $(filter-out $(call objects,$(B),$(FUZZ_$*)),$(OBJECTS)) $(LIBS) -lstdc++ -o $@

MINUTES ?= 10
fuzz: $(FUZZERS)
	tests/fuzz/fuzz.sh $(MINUTES) $(B)/fuzz

# With the lower GS_INCOMING_KEYS, the keys of small pipes move to their bins as they come in, too.
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ASAN_TESTS := tests/cli tests/engine tests/sort tests/cluster
ASAN_MPI = $(if $(filter file,$(origin MPI)),$(call have,$(MPICC)),$(MPI))
ASAN_HDF5 = $(if $(filter file,$(origin HDF5)),$(call library,hdf5),$(HDF5))
asan:
	$(need_bats)
	+GSORT_FUZZ_COUNT=1000 $(MAKE) check TESTS='$(patsubst tests,$(ASAN_TESTS),$(TESTS))' CONFIG_SUFFIX=-asan MPI='$(ASAN_MPI)' HDF5='$(ASAN_HDF5)' SANITIZE='$(SANITIZERS)' CFLAGS='-O1 -g' CXXFLAGS='-O1 -g' \
	    CPPFLAGS='$(CPPFLAGS) -DGS_INCOMING_KEYS=140000'

# All calls of the library, in two threads at once, run by $(UNDER).
$(B)/every_call: tests/library/every_call.c $(B)/libgsort.so.0
	$(call quiet,LINK)$(CC) $(filter-out -O2,$(TOOL_FLAGS)) -Isort $(CFLAGS) $(SANITIZE) $< $(B)/libgsort.so.0 -pthread -Wl,-rpath,'$$ORIGIN' -o $@
every-call: $(B)/every_call
	rm -rf $(B)/every && mkdir $(B)/every && cd $(B)/every && $(UNDER) ../every_call 2
tsan:
	+$(MAKE) every-call CUDA=0 CONFIG_SUFFIX=-tsan SANITIZE=-fsanitize=thread CFLAGS='-O1 -g' CXXFLAGS='-O1 -g'

valgrind: all tools $(B)/gsort
	tests/tools/valgrind.sh $(B)/gsort
	+$(MAKE) every-call UNDER='valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9'
