#!/usr/bin/env bash
# Asks the dictation service: dictation.sh [start | stop | toggle | cancel | pause | resume | last | status]
# Prints the text, or the answer if there is none. Needs Debian's jq and netcat-openbsd.
set -euo pipefail
jq -cn --arg intent "${1:-status}" '{hello: "dictation", version: 1}, {id: 1, $intent}' |
    nc -N -U "${XDG_RUNTIME_DIR:-$HOME/.local/state}/dictation/socket" |
    jq -r 'select(.answer) |
        if .answer == "error" then .error.message + "\n" | halt_error(1) else .text // .status.state // .answer end'
