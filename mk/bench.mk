# bench.mk -- benchmarks on the CPU and from file to file
# SPDX-License-Identifier: MIT
##
## Measure
##   bench            speed in memory and from file to file; BENCH="-d DIR KEYS..."
##   bench-files      file to file on every device, beside cp and peers; BENCH="-d DIR KEYS..."
##   bench-pipes      from a fast and a slow producer; BENCH="-d DIR -r MB KEYS..."
##   bench-external   larger than memory, and merges, beside cp; BENCH="-d DIR -s MIB -r RATIO"
##   bench-cold       files out of the page cache, beside cp; root only; BENCH="-d DIR -s MIB -n ROUNDS"
##   bench-cpu        keys in memory beside other CPU sorts, then AVX2; BENCH="-t THREADS LOG2_N..."
##   bench-widths     the same bytes as keys and records of several widths; BENCH="-d DIR MIB..."
##   bench-types      several types and pairs, beside numpy, polars, DuckDB, chdb; BENCH="-d DIR MIB..."
##   bench-sorter     the library's sorter beside those of STXXL and RocksDB; BENCH="-d DIR -n ROWS -s MIB -r ROUNDS"
##   bench-tables     engines against lists, keys, samples, to data/bench; PLOTS=1 draws them
.PHONY: bench bench-files bench-pipes bench-external bench-cold bench-cpu bench-widths bench-types \
        bench-sorter bench-tables

# Benchmarks: linked with the library and the key generator's distributions, for keys of 32 bits and for wider ones.
define bench_of
$(B)/bench_%$(1): tests/bench/bench_%.c $(if $(filter _128,$(1)),$(B)/width64.o) build/tools/data/dist.o $(B)/unit$(1).a $(B)/flags
	$$(call quiet,BENCH)$$(CC) $$(CPP_FLAGS) $$(OWN_FLAGS) $$(CPPFLAGS) $$(C_FLAGS) $$(CFLAGS) $$(LDFLAGS) $$(filter %.c %.o %.a,$$^) $$(LIBS) -o $$@
endef
$(eval $(call bench_of,))
$(foreach width,$(WIDTHS),$(eval $(call bench_of,_$(width))))

bench: $(B)/gsort $(TOOLS) $(B)/bench_memory
	tests/bench/overview.sh $(B)/gsort $(B)/bench_memory build/keygen $(BENCH)

# Compares with the sorts that Debian packages; bench-cpu runs it again limited to AVX2.
TBB_LIBS = $(shell $(PKG_CONFIG) --exists tbb 2>/dev/null && $(PKG_CONFIG) --libs tbb)
PEERS := $(B)/bench_cpu $(B)/bench_cpu_64
$(PEERS:%=%.peers.o): private OWN_FLAGS = $(if $(findstring _64,$@),-DGS_BITS=64)
$(PEERS:%=%.peers.o): tests/bench/peers.cc $(B)/flags
	$(call quiet,CXX)$(CXX) $(CPP_FLAGS) $(OWN_FLAGS) $(CPPFLAGS) -std=c++17 $(WARNINGS) -fopenmp -O3 -c $< -o $@
$(PEERS): %: %.peers.o
$(PEERS): private LIBS += $(TBB_LIBS) -lstdc++

AVX2_ONLY := -DGS_BENCH_AVX2 -DGS_HAS_AVX512=0
bench-cpu: $(B)/bench_cpu
	$(B)/bench_cpu $(BENCH)
	@+$(MAKE) -s CONFIG_SUFFIX=-avx2 CPPFLAGS='$(AVX2_ONLY)' $(B)-avx2/bench_cpu
	$(B)-avx2/bench_cpu $(BENCH)

# Tables of the engines, in data/bench; TABLES="lists keys samples print" selects parts.
bench-tables: $(B)/gsort $(TOOLS) $(B)/bench_qsort
	PLOTS=$(PLOTS) tests/bench/tables.sh $(B)/gsort $(B)/bench_qsort build/keygen data/bench $(TABLES)

SCRIPTS := bench-types bench-files bench-pipes bench-external bench-cold bench-widths
$(SCRIPTS): bench-%: $(B)/gsort $(TOOLS)
	tests/bench/$*.sh $(B)/gsort build/keygen $(BENCH)
	$(if $(filter widths,$*),$(B)/bench_records)
bench-widths: $(B)/bench_records

bench-sorter: $(B)/installed/lib/pkgconfig/gsort.pc
	tests/bench/sorter.sh $(B)/installed $(BENCH)
