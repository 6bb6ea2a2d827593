# library.mk -- libgsort: shared and static, and how it is installed
# SPDX-License-Identifier: MIT
##
## Library
##   lib              libgsort.so.0 and libgsort.a below build/; make install installs them, with gsort.h, gsort.pc and
##                    gsort.py, in INCLUDEDIR=PREFIX/include, LIBDIR=PREFIX/lib and PYTHONDIR=LIBDIR/python3/dist-packages
.PHONY: lib install-lib uninstall-lib

LIBRARY := $(B)/libgsort.so.0 $(B)/libgsort.a
# Without HDF5, of which many builds are not for several threads.
LIBRARY_OBJECTS := $(filter-out $(NO_MPI) $(B)/cli/%,$(OBJECTS:%/hdf5.o=%/hdf5_absent.o))
LIBRARY_OPENMP := $(if $(CLANG),-fopenmp)
LIBRARY_LIBS := $(LIBS) $(call is,HIGHWAY,-lstdc++)
lib: $(LIBRARY)

$(B)/sort/library/version.o: private OWN_FLAGS := -DGS_VERSION='"$(VERSION)"'
$(B)/sort/library/version.o: $(B)/version

$(B)/libgsort.so.0: $(LIBRARY_OBJECTS) mk/gsort.map
	$(call quiet,LINK)$(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=mk/gsort.map -Wl,-z,defs \
	    $(CFLAGS) $(SANITIZE) $(LIBRARY_OPENMP) $(LDFLAGS) $(LIBRARY_OBJECTS) $(LIBRARY_LIBS) -o $@

# One object, which shows nothing but what gsort.h declares.
$(B)/libgsort.a: $(LIBRARY_OBJECTS)
	$(call quiet,AR)$(CC) -r -nostdlib -Wl,--force-group-allocation -Wl,-d $^ -o $(B)/libgsort.o && \
	    $(OBJCOPY) --wildcard --keep-global-symbol='gsort_*' $(B)/libgsort.o && rm -f $@ && $(AR) rc $@ $(B)/libgsort.o

LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
PYTHONDIR  ?= $(LIBDIR)/python3/dist-packages
PC         := $(DESTDIR)$(LIBDIR)/pkgconfig/gsort.pc
LIBRARY_PAGES := $(sort $(wildcard man/*.3))
# The other names of a page, gsort_argsort(3) and the like, are links to it.
page_names = $(filter gsort_%,$(shell sed -n '/^\.SH NAME/,/^\.SH SYN/{s/ \\-.*//;s/,/ /g;p}' $(1)))
other_names = $(filter-out $(notdir $(1:.3=)),$(page_names))
install-lib: $(LIBRARY)
	install -d '$(DESTDIR)$(LIBDIR)/pkgconfig' '$(DESTDIR)$(INCLUDEDIR)' '$(DESTDIR)$(PYTHONDIR)' '$(MAN)/man3'
	install -m 644 $(LIBRARY) '$(DESTDIR)$(LIBDIR)'
	ln -sf libgsort.so.0 '$(DESTDIR)$(LIBDIR)/libgsort.so'
	install -m 644 sort/gsort.h '$(DESTDIR)$(INCLUDEDIR)'
	install -m 644 sort/library/gsort.py '$(DESTDIR)$(PYTHONDIR)'
	install -m 644 $(LIBRARY_PAGES) '$(MAN)/man3'
	$(foreach page,$(LIBRARY_PAGES),$(foreach name,$(call other_names,$(page)),\
	    ln -sf $(notdir $(page)) '$(MAN)/man3/$(name).3' && )):
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' 'Name: gsort' \
	    'Description: sort arrays of numbers or records' 'Version: $(VERSION)' 'Cflags: -I$${includedir}' \
	    'Libs: -L$${libdir} -lgsort' 'Libs.private: $(strip $(LIBRARY_OPENMP) $(LIBRARY_LIBS))' >'$(PC)'
	chmod 644 '$(PC)'

uninstall-lib:
	rm -f $(patsubst %,'$(DESTDIR)$(LIBDIR)/%',libgsort.so.0 libgsort.so libgsort.a pkgconfig/gsort.pc) \
	    '$(DESTDIR)$(INCLUDEDIR)/gsort.h' '$(DESTDIR)$(PYTHONDIR)/gsort.py' \
	    $(foreach page,$(LIBRARY_PAGES),$(patsubst %,'$(MAN)/man3/%.3',$(notdir $(page:.3=)) $(call other_names,$(page))))

# The tests' own, to be found by pkg-config.
INSTALLED := $(CURDIR)/$(B)/installed
$(B)/installed/lib/pkgconfig/gsort.pc: $(LIBRARY) sort/gsort.h sort/library/gsort.py $(LIBRARY_PAGES) mk/library.mk
	+@$(MAKE) -s install-lib DESTDIR= PREFIX='$(INSTALLED)' LIBDIR='$(INSTALLED)/lib' INCLUDEDIR='$(INSTALLED)/include' \
	    PYTHONDIR='$(INSTALLED)/lib/python3/dist-packages'
