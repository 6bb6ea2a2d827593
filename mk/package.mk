# package.mk -- what others get: installed files, a package, a tarball
# SPDX-License-Identifier: MIT
##
## Package
##   install          program and library below PREFIX=/usr/local, within DESTDIR=, LIBDIR=PREFIX/lib; PROGRAM=gsort;
##                    MPI=1: gsort-mpi, too; install-program, install-lib: only these
##   uninstall        the same files, away
##   deb              a package for Debian, keysort: there, gsort is another program; needs dpkg-dev
##   dist             a tarball of HEAD
##   tag              HEAD is version VERSION of the Makefile, if the changelog and the manual say so
.PHONY: install install-program uninstall uninstall-program deb dist tag

PREFIX  ?= /usr/local
PROGRAM ?= gsort
ZSH_FUNCTIONS ?= zsh/site-functions
BIN   := $(DESTDIR)$(PREFIX)/bin
SHARE := $(DESTDIR)$(PREFIX)/share
MAN   := $(SHARE)/man
NAMES := $(PROGRAM) $(call is,MPI,$(PROGRAM)-mpi)
# Completions of a program; their first word is the shell.
completions = bash-completion/completions/$(1) $(ZSH_FUNCTIONS)/_$(1) fish/vendor_completions.d/$(1).fish
shell_of = $(firstword $(subst -, ,$(subst /, ,$(1))))
# Each page under its section and the program's name, as in man5/keysort-stats.5.
PAGES := $(sort $(wildcard man/gsort*.[15]))
installed = $(MAN)/man$(subst .,,$(suffix $(1)))/$(PROGRAM)$(patsubst man/gsort%,%,$(1))
HEADING := $(shell echo '$(PROGRAM)' | tr '[:lower:]' '[:upper:]')
# Make this file, and write what the command prints to it.
written = install -D -m 644 /dev/null '$(1)' && $(2) >'$(1)'
install: install-program install-lib
install-program: $(PROGRAMS)
	install -D -m 755 gsort '$(BIN)/$(PROGRAM)'
	$(call is,MPI,install -m 755 gsort-mpi '$(BIN)/$(PROGRAM)-mpi')
	$(foreach page,$(PAGES),$(call written,$(call installed,$(page)),sed -E \
	    's/(^|[^.])\bgsort\b/\1$(PROGRAM)/g; /^\.TH /s/GSORT/$(HEADING)/' $(page)) && ):
	$(foreach name,$(NAMES),$(foreach file,$(call completions,$(name)),$(call written,$(SHARE)/$(file),\
	    cli/completions.sh $(call shell_of,$(file)) ./gsort $(name)) && )):

uninstall: uninstall-program uninstall-lib
uninstall-program:
	rm -f $(foreach name,$(PROGRAM) $(PROGRAM)-mpi,\
	    '$(BIN)/$(name)' $(patsubst %,'$(SHARE)/%',$(call completions,$(name)))) \
	    $(foreach page,$(PAGES),'$(call installed,$(page))')

deb: $(PROGRAMS)
	rm -rf build/deb
	+@$(MAKE) -s install-program DESTDIR=build/deb/debian/keysort PREFIX=/usr PROGRAM=keysort \
	    ZSH_FUNCTIONS=zsh/vendor-completions
	@mk/deb.sh build/deb $(VERSION)

dist:
	@command -v git >/dev/null || { echo 'make $@ needs git: install it' >&2; exit 2; }
	@git rev-parse --verify -q HEAD >/dev/null || { echo 'make $@ needs a clone of the repository' >&2; exit 2; }
	git archive --prefix=gsort-$(VERSION)/ -o gsort-$(VERSION).tar.gz HEAD

# The first heading of the changelog is this version's: nothing is unreleased; and so is the manual.
tag:
	@git diff --quiet HEAD || { echo 'make $@: there are changes that are not committed' >&2; exit 2; }
	@sed -n '/^## Unreleased/d; /^##/ { p; q }' CHANGELOG.md | grep -qF '## $(VERSION) - ' || \
	    { echo 'make $@: CHANGELOG.md does not begin with $(VERSION)' >&2; exit 2; }
	@other=$$(grep -LF '"gsort $(VERSION)"' $(PAGES)); \
	    [ -z "$$other" ] || { echo "make $@: $$other: of another version than $(VERSION)" >&2; exit 2; }
	git tag -a 'v$(VERSION)' -m 'gsort $(VERSION)'
