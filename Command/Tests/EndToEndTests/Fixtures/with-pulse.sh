#!/bin/bash
# with-pulse.sh COMMAND…: runs a command with a separate PulseAudio server. The server's default source is the monitor of
# a null sink, and ALSA's default device records from it. PULSE_PID is the server's process.
set -eu
folder=$(mktemp -d)
export HOME=$folder XDG_RUNTIME_DIR=$folder PULSE_SERVER=unix:$folder/native ALSA_CONFIG_PATH=$folder/alsa.conf
cat >"$folder/alsa.conf" <<'ALSA'
</usr/share/alsa/alsa.conf>
pcm.!default { type pulse hint { show on description "PulseAudio" } }
ctl.!default { type pulse }
ALSA
cat >"$folder/server.pa" <<PULSE
load-module module-native-protocol-unix socket=$folder/native auth-anonymous=1
load-module module-null-sink sink_name=speech rate=16000 channels=1
set-default-sink speech
set-default-source speech.monitor
PULSE
pulseaudio -n -F "$folder/server.pa" --daemonize=no --exit-idle-time=-1 --use-pid-file=no >"$folder/log" 2>&1 &
export PULSE_PID=$!
trap 'kill $PULSE_PID 2>/dev/null || true; wait $PULSE_PID 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 200); do
    if pactl info >/dev/null 2>&1; then
        "$@"
        exit
    fi
    sleep 0.1
done
echo "PulseAudio did not start:" >&2
cat "$folder/log" >&2
exit 1
