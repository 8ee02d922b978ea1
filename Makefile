.PHONY: demo test bench docs format lint check

demo:    ; Scripts/demo
test:    ; Scripts/test
bench:   ; Scripts/bench
docs:    ; Scripts/docs
format:  ; Scripts/format
lint:    ; Scripts/lint
check:   ; Scripts/check
