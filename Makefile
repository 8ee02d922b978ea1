.PHONY: demo test test-all bench docs format lint check install uninstall

PREFIX ?= /usr/local

demo:    ; Scripts/demo
test:    ; Scripts/test
test-all: ; Scripts/test --all
bench:   ; Scripts/bench all
docs:    ; Scripts/docs
format:  ; Scripts/format
lint:    ; Scripts/lint
check:   ; Scripts/check all

# Packagers may set DESTDIR.
install:   ; Scripts/install dictate "$(DESTDIR)" "$(PREFIX)"
uninstall: ; Scripts/install dictate --remove "$(DESTDIR)" "$(PREFIX)"
