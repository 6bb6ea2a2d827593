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
SCRIPTS := bench-types bench-files bench-pipes bench-external bench-cold bench-widths
.PHONY: bench bench-cpu bench-sorter bench-tables $(SCRIPTS)

# Benchmarks: linked with the library and the key generator's distributions, for keys of 32 bits and for wider ones.
bench_with = tests/bench/bench_%.c build/tools/data/dist.o $(B)/$(1) $(B)/flags
bench_link = $(call quiet,BENCH)$(CC) $(c_flags) $(LDFLAGS) $(filter %.c %.o %.a,$^) $(LIBS) -o $@
$(B)/bench_%_64: $(call bench_with,unit_64.a)
	$(bench_link)
$(B)/bench_%_128: $(call bench_with,unit_128.a) $(B)/width64.o
	$(bench_link)
$(B)/bench_%: $(call bench_with,unit.a)
	$(bench_link)

bench: $(B)/gsort $(TOOLS) $(B)/bench_memory
	tests/bench/overview.sh $(B)/gsort $(B)/bench_memory build/keygen $(BENCH)

# Compares with the sorts that Debian packages; bench-cpu runs it again limited to AVX2.
PEERS := $(B)/bench_cpu $(B)/bench_cpu_64
$(PEERS:%=%.peers.o): tests/bench/peers.cc $(B)/flags
	$(call quiet,CXX)$(CXX) $(CPP_FLAGS) $(OWN_FLAGS) $(CPPFLAGS) -std=c++17 $(WARNINGS) -fopenmp -O3 -c $< -o $@
$(PEERS): %: %.peers.o
$(PEERS): private LIBS += $(shell $(PKG_CONFIG) --libs tbb 2>/dev/null) -lstdc++
bench-cpu: $(B)/bench_cpu
	$(B)/bench_cpu $(BENCH)
	@+$(MAKE) -s CONFIG_SUFFIX=-avx2 CPPFLAGS='-DGS_BENCH_AVX2 -DGS_HAS_AVX512=0' $(B)-avx2/bench_cpu
	$(B)-avx2/bench_cpu $(BENCH)

# Tables of the engines, in data/bench; TABLES="lists keys samples print" selects parts.
bench-tables: $(B)/gsort $(TOOLS) $(B)/bench_qsort
	PLOTS=$(PLOTS) tests/bench/tables.sh $(B)/gsort $(B)/bench_qsort build/keygen data/bench $(TABLES)

$(SCRIPTS): bench-%: $(B)/gsort $(TOOLS)
	tests/bench/$*.sh $(B)/gsort build/keygen $(BENCH)
	$(if $(filter widths,$*),$(B)/bench_records)
bench-widths: $(B)/bench_records

bench-sorter: $(B)/installed/lib/pkgconfig/gsort.pc
	tests/bench/sorter.sh $(B)/installed $(BENCH)
