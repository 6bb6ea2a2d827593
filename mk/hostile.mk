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
MODES   ?= all
MINUTES ?= 10
N       ?= 1000
check-faults check-kill torture valgrind: all tools
check-faults torture: export GSORT_MPI = $(call is,MPI,$(M)/gsort-mpi)
check-faults torture: export MPIRUN := $(MPIRUN)
check-faults:
	tests/faults/walk.sh $(B)/gsort build/faults.so build/keygen build/reference $(MODES)
	tests/faults/processors.sh $(B)/gsort build/keygen build/reference || [ $$? = 77 ]
check-kill:
	tests/faults/kill.sh $(B)/gsort build/keygen build/reference $(N) $(SEED)
torture:
	tests/faults/torture.sh $(B)/gsort build/faults.so build/keygen build/reference $(MINUTES) $(SEED)

# Fuzzing: only the parsers are compiled with clang's libFuzzer, the rest is linked as built.
FUZZ_CC ?= clang
$(B)/fuzz/fuzz_command: $(wildcard cli/option*.c) sort/files/record_format.c sort/files/npy_files.c cli/size_arg.c
$(B)/fuzz/fuzz_size: cli/size_arg.c
$(B)/fuzz/fuzz_format $(B)/fuzz/fuzz_npy: common/nearest_word.c \
    $(filter-out %/hdf5.c,$(filter common/formats/%,$(ONCE)))
$(B)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(OBJECTS) $(B)/flags
	$(call quiet,FUZZ)$(FUZZ_CC) $(filter-out -MMD -MP,$(CPP_FLAGS)) -std=c11 -O1 -g \
	    -Dexit=fuzz_exit -Dgs_report_close_stdout=fuzz_close_stdout \
	    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all $(filter %.c,$^) \
	    $(filter-out $(call objects,$(B),$(filter %.c,$^)),$(OBJECTS)) $(LIBS) -lstdc++ -o $@
fuzz: $(patsubst %,$(B)/fuzz/fuzz_%,command size format npy)
	tests/fuzz/fuzz.sh $(MINUTES) $(B)/fuzz

# With the lower GS_INCOMING_KEYS, the keys of small pipes move to their bins as they come in, too.
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ASAN_TESTS := tests/cli tests/engine tests/sort tests/cluster
if_found = $(1)=$(if $(filter file,$(origin $(1))),$(there_is_$(1)),$($(1)))
DEBUGGED := CFLAGS='-O1 -g' CXXFLAGS='-O1 -g'
asan:
	$(need_bats)
	+GSORT_FUZZ_COUNT=1000 $(MAKE) check TESTS='$(patsubst tests,$(ASAN_TESTS),$(TESTS))' CONFIG_SUFFIX=-asan $(DEBUGGED) \
	    $(call if_found,MPI) $(call if_found,HDF5) SANITIZE='$(SANITIZERS)' \
	    CPPFLAGS='$(CPPFLAGS) -DGS_INCOMING_KEYS=140000'

# All calls of the library, in two threads at once, run by $(UNDER).
$(B)/every_call: tests/library/every_call.c $(B)/libgsort.so.0
	$(call quiet,LINK)$(CC) $(filter-out -O2,$(TOOL_FLAGS)) -Isort $(CFLAGS) $(SANITIZE) $< $(B)/libgsort.so.0 -pthread \
	    -Wl,-rpath,'$$ORIGIN' -o $@
every-call: $(B)/every_call
	rm -rf $(B)/every && mkdir $(B)/every && cd $(B)/every && $(UNDER) ../every_call 2
tsan:
	+$(MAKE) every-call CUDA=0 CONFIG_SUFFIX=-tsan SANITIZE=-fsanitize=thread $(DEBUGGED)

MEMCHECK := valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9
valgrind:
	tests/tools/valgrind.sh $(B)/gsort
	+$(MAKE) every-call UNDER='$(MEMCHECK)'
