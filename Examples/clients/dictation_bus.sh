#!/usr/bin/env bash
# Asks the dictation service on D-Bus: dictation_bus.sh [start | stop | toggle | cancel | pause | resume | last | status]
# Prints the text, or the answer if there is none. Needs Debian's jq and systemd.
set -euo pipefail
service=(org.swift_dictation.Dictation1 /org/swift_dictation/Dictation1 org.swift_dictation.Dictation1)
intent=${1:-status} profile=()
case $intent in
    status) exec busctl --user get-property "${service[@]}" State ;;
    start | toggle) profile=(s "") ;;
esac
busctl --user --timeout=60 --json=short call "${service[@]}" "${intent^}" "${profile[@]}" |
    jq -r '.data | if .[0] == "text" then .[2] else .[0] end'
