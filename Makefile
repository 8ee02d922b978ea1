.PHONY: demo test test-all bench docs format lint check

demo:    ; Scripts/demo
test:    ; Scripts/test
test-all: ; Scripts/test --all
bench:   ; Scripts/bench
docs:    ; Scripts/docs
format:  ; Scripts/format
lint:    ; Scripts/lint
check:   ; Scripts/check
