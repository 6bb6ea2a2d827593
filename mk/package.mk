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
BIN := $(DESTDIR)$(PREFIX)/bin
MAN := $(DESTDIR)$(PREFIX)/share/man
# Completions, of each program for each shell.
NAMES    := $(PROGRAM) $(call is,MPI,$(PROGRAM)-mpi)
SHELLS   := bash zsh fish
ZSH_FUNCTIONS ?= zsh/site-functions
bash_file = bash-completion/completions/$(1)
zsh_file  = $(ZSH_FUNCTIONS)/_$(1)
fish_file = fish/vendor_completions.d/$(1).fish
completion = '$(DESTDIR)$(PREFIX)/share/$(call $(1)_file,$(2))'
define install_completion
	install -d "$$(dirname $(completion))"
	cli/completions.sh $(1) ./gsort $(2) >$(completion)
	chmod 644 $(completion)

endef
# Each page under its section and the program's name, as in man5/keysort-stats.5.
PAGES := $(sort $(wildcard man/gsort*.[15]))
installed = $(MAN)/man$(subst .,,$(suffix $(1)))/$(PROGRAM)$(patsubst man/gsort%,%,$(1))
HEADING := $(shell echo '$(PROGRAM)' | tr '[:lower:]' '[:upper:]')
install: install-program install-lib
install-program: $(PROGRAMS)
	install -D -m 755 gsort '$(BIN)/$(PROGRAM)'
	$(call is,MPI,install -m 755 gsort-mpi '$(BIN)/$(PROGRAM)-mpi')
	install -d '$(MAN)/man1' '$(MAN)/man5'
	$(foreach page,$(PAGES),sed -E 's/(^|[^.])\bgsort\b/\1$(PROGRAM)/g; /^\.TH /s/GSORT/$(HEADING)/' $(page) >'$(call installed,$(page))' &&) :
	chmod 644 $(foreach page,$(PAGES),'$(call installed,$(page))')
	$(foreach shell,$(SHELLS),$(foreach name,$(NAMES),$(call install_completion,$(shell),$(name))))

uninstall: uninstall-program uninstall-lib
uninstall-program:
	rm -f $(foreach name,$(PROGRAM) $(PROGRAM)-mpi,'$(BIN)/$(name)' $(foreach shell,$(SHELLS),$(call completion,$(shell),$(name)))) \
	    $(foreach page,$(PAGES),'$(call installed,$(page))')

deb: $(PROGRAMS)
	rm -rf build/deb
	+@$(MAKE) -s install-program DESTDIR=build/deb/debian/keysort PREFIX=/usr PROGRAM=keysort ZSH_FUNCTIONS=zsh/vendor-completions
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
