import Foundation
import Testing

/// Tests of the service with what starts, stops and watches it: systemd and D-Bus.
@Suite struct ServiceLifeTests {
    /// Runs bash lines in a folder of their own. `wait_for COMMAND` waits until a command succeeds.
    static func bash(
        _ lines: String, within limit: Double = 120, in folder: Folder? = nil
    ) async throws -> Outcome {
        let folder = try folder ?? Folder()
        let tone = try folder.tone(seconds: 60)
        return try await Program.bash(
            """
            cd '\(folder.path)'; export HOME=$PWD XDG_RUNTIME_DIR=$PWD/run XDG_STATE_HOME=$PWD/state
            export XDG_CONFIG_HOME=$PWD/config XDG_DATA_HOME=$PWD/data
            unset DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS
            mkdir -p run; options=(--engine scripted --device 'file:\(tone)')
            wait_for() { for _ in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep 0.05; done; echo "no $*"; false; }
            says() { "$dictate" status | grep -q "$1"; }
            serve() { "$dictate" service "${options[@]}" "$@" 2>>service.log & service=$!; wait_for says idle; }
            trap 'kill -KILL $(jobs -p) 2>/dev/null' EXIT
            \(lines)
            """, within: limit)
    }

    /// systemd's own tool listens, and starts the service for the first client.
    @Test func theFirstClientStartsTheService() async throws {
        let outcome = try await Self.bash(
            """
            mkdir -m 700 run/dictation
            systemd-socket-activate --listen "$PWD/run/dictation/socket" "$dictate" service "${options[@]}" 2>log & activator=$!
            wait_for test -S run/dictation/socket
            test -e run/dictation/lock && echo "started too early"
            "$dictate" start; echo "status $?"
            stat -c %a run/dictation/socket
            "$dictate" service --engine scripted 2>&1 >/dev/null | grep -o 'Another dictation service is running'
            wait_for says 'recording.*one'; "$dictate" stop | cut -c 1-3
            kill -TERM "$(cat run/dictation/lock)"; wait $activator
            test -S run/dictation/socket && echo "the socket stays"
            """)
        #expect(
            outcome.output == "status 0\n600\nAnother dictation service is running\none\nthe socket stays\n",
            "\(outcome)")
    }

    /// “--socket” is easily written where “--settings” was meant.
    @Test func aFileThatIsNoSocketIsKept() async throws {
        let outcome = try await Self.bash(
            """
            mkdir -m 755 config; cd config
            for name in settings.json5 log lock; do echo "$name of the user" >$name; done
            "$dictate" service "${options[@]}" --socket "$PWD/settings.json5"; echo "status $?"
            rm lock; "$dictate" service "${options[@]}" --socket "$PWD/settings.json5"; echo "status $?"
            echo "lock of the user" >lock; "$dictate" toggle --socket "$PWD/other"; echo "status $?"
            cat settings.json5 lock; head -n 1 log; stat -c %a .
            """)
        #expect(
            outcome.output == """
                status 2
                status 2
                status 2
                settings.json5 of the user
                lock of the user
                log of the user
                755

                """, "\(outcome)")
        #expect(outcome.errors.contains("is not a socket") && outcome.errors.contains("is not the lock"), "\(outcome)")
    }

    @Test func aShortcutWithoutABusLeavesNoServiceBehind() async throws {
        let outcome = try await Self.bash(
            """
            "$dictate" shortcut && echo "it has a key"; "$dictate" status; ls run
            """)
        #expect(outcome.output == "stopped\n" && outcome.errors.hasPrefix("dictate: "), "\(outcome)")
    }

    /// The client of a hold that is stopped by Ctrl-Z keeps its connection, and answers nothing.
    @Test func aHoldWhoseProgramIsStoppedClosesTheMicrophone() async throws {
        let outcome = try await Self.bash(
            """
            serve; mkfifo input; exec 3<>input
            "$dictate" hold <input >text 3>&- & hold=$!
            wait_for says 'recording.*one two'
            kill -STOP $hold; wait_for says idle; "$dictate" last | cut -c 1-7
            kill -CONT $hold; exec 3>&-; wait $hold; echo "status $?"
            """)
        #expect(outcome.output.hasPrefix("one two\nstatus ") && !outcome.output.hasSuffix(" 0\n"), "\(outcome)")
        #expect(outcome.errors.contains("stopped answering"), "\(outcome)")
    }

    /// No command could end its take.
    @Test func aServiceThatCannotBeReachedEndsAndKeepsTheText() async throws {
        let outcome = try await Self.bash(
            """
            serve; "$dictate" start; wait_for says 'recording.*one two'
            rm -r run/dictation; wait $service; echo "status $?"
            grep -o "was removed, so no program can reach this service" service.log
            serve; "$dictate" last | cut -c 1-7
            """)
        #expect(
            outcome.output == "status 0\nwas removed, so no program can reach this service\none two\n", "\(outcome)")
    }

    @Test func settingsThatAreNotThereAreSaid() async throws {
        let outcome = try await Self.bash("\"$dictate\" service --settings nowhere.json5; echo \"status $?\"")
        #expect(outcome.output == "status 2\n" && outcome.errors.contains("There are no settings at “nowhere.json5”"))
    }

    @Test func systemdIsToldOfTheServicesLife() async throws {
        let outcome = try await Self.bash(
            """
            cat >notified.py <<'END'
            import socket, sys
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
                notify.bind("notify")
                print("bound", flush=True)
                while True:
                    print(notify.recv(4096).decode(), flush=True)
            END
            python3 notified.py >notified & wait_for grep -q bound notified
            export NOTIFY_SOCKET=$PWD/notify WATCHDOG_USEC=200000
            "$dictate" service "${options[@]}" 2>log & service=$!
            wait_for grep -q READY=1 notified
            for _ in $(seq 600); do [ "$(grep -c WATCHDOG=1 notified)" -ge 3 ] && break; sleep 0.05; done
            kill -TERM $service; wait $service; echo "status $?"
            wait_for grep -q STOPPING=1 notified
            awk '!seen[$0]++' notified
            """)
        #expect(
            outcome.output == "status 0\nbound\nREADY=1\nWATCHDOG=1\nSTOPPING=1\n", "\(outcome)")
    }

    /// The bus's own daemon starts the service.
    @Test func aServiceOnTheBusIsStartedByACall() async throws {
        let outcome = try await Self.bash(
            """
            mkdir -p data/dbus-1/services
            printf '[D-BUS Service]\\nName=org.swift_dictation.Dictation1\\nExec=%s service %s\\n' \
                "$dictate" "${options[*]}" >data/dbus-1/services/org.swift_dictation.Dictation1.service
            dbus-run-session -- bash -c '
                call() {
                    busctl --user --timeout=60 --json=short call org.swift_dictation.Dictation1 \
                        /org/swift_dictation/Dictation1 org.swift_dictation.Dictation1 "$@" | jq -r ".data[$field]"
                }
                field=0 call Start s ""
                "$dictate" service --engine scripted 2>&1 >/dev/null | grep -o "Another dictation service is running"
                for _ in $(seq 600); do "$dictate" status | grep -q "recording.*one" && break; sleep 0.05; done
                field=2 call Stop | cut -c 1-3
                "$dictate" last | cut -c 1-3
                kill -TERM "$(cat run/dictation/lock)"
            '
            """)
        #expect(outcome.output == "recording\nAnother dictation service is running\none\none\n", "\(outcome)")
    }

    /// The commands of systemd are played by scripts that write down how they were called.
    private static let systemd = """
        mkdir -p tools
        for tool in systemctl journalctl; do
            printf '#!/bin/sh\\necho "%s $*" >>%s/called\\n' $tool "$PWD" >tools/$tool; chmod +x tools/$tool
        done
        export PATH=$PWD/tools:$PATH
        """

    @Test func theServiceIsInstalledAndRemoved() async throws {
        let outcome = try await Self.bash(
            """
            \(Self.systemd)
            "$dictate" service status; echo "status $?"
            touch 'my words.txt'
            "$dictate" service install "${options[@]}" --locale en-US --vocabulary 'my words.txt' 2>said; echo "status $?"
            grep -c '^Installed' said
            "$dictate" service status; echo "status $?"
            grep ExecStart config/systemd/user/dictation.service | sed "s,$PWD,.,g" | grep -o -e '"service".*'
            grep -o "^Exec='.*/dictate' 'service' '--quiet' '--engine=scripted'" data/dbus-1/services/* | sed "s,'.*/dictate','dictate',"
            serve
            "$dictate" service status | cut -f 1,3
            "$dictate" service logs; echo "status $?"
            "$dictate" service uninstall 2>/dev/null; echo "status $?"
            find config data -type f
            "$dictate" service uninstall 2>&1
            cat called
            """)
        #expect(
            outcome.output == """
                not installed
                not running
                status 1
                status 0
                3
                installed
                not running
                status 1
                "service" "--quiet" "--engine=scripted" "--device=file:./tone.wav" "--locale=en-US" "--vocabulary=./my words.txt"
                Exec='dictate' 'service' '--quiet' '--engine=scripted'
                installed
                running\tidle
                status 0
                status 0
                The service is not installed.
                systemctl --user show-environment
                systemctl --user daemon-reload
                systemctl --user enable --now dictation.socket
                journalctl --user --no-pager --lines=200 --unit=dictation.service
                systemctl --user disable --now dictation.socket dictation.service
                systemctl --user daemon-reload

                """, "\(outcome)")
    }

    /// systemd reads the units, and finds the service well shut in.
    @Test func systemdAcceptsTheUnits() async throws {
        let outcome = try await Self.bash(
            """
            \(Self.systemd)
            "$dictate" service install "${options[@]}" 2>/dev/null
            cd config/systemd/user
            systemd-analyze verify --user ./dictation.service ./dictation.socket; echo "status $?"
            systemd-analyze security --user --offline=true --threshold=65 ./dictation.service >/dev/null; echo "status $?"
            """)
        #expect(outcome.output == "status 0\nstatus 0\n", "\(outcome)")
        #expect(!outcome.errors.contains("dictation."), "\(outcome)")
    }

    @Test func withoutSystemdTheInstallationSaysSo() async throws {
        let outcome = try await Self.bash(
            """
            mkdir tools; printf '#!/bin/sh\\necho Failed to connect to bus >&2; [ "$2" = "$TAKES" ]\\n' >tools/systemctl
            chmod +x tools/systemctl; PATH=$PWD/tools:$PATH
            "$dictate" service install; echo "status $?"; find config data -type f 2>/dev/null
            TAKES=show-environment "$dictate" service install 2>/dev/null; echo "status $?"; find config data -type f
            "$dictate" service uninstall; echo "status $?"
            "$dictate" service logs; echo "status $?"
            "$dictate" service instal; echo "status $?"
            "$dictate" service install --socket /tmp/x; echo "status $?"
            """)
        #expect(
            outcome.output == """
                status 1
                status 1
                status 0
                status 1
                status 2
                status 2

                """, "\(outcome)")
        #expect(!outcome.errors.contains("connect to bus"), "\(outcome)")
        for word in ["nothing was installed", "no messages", "Did you mean “install”?", "always has the usual socket"] {
            #expect(outcome.errors.contains(word), "\(outcome)")
        }
    }
}

@Suite struct ServiceLifeProofTests {
    /// Counts how often the threads of an idle service wake up, with both listeners open, after it was used.
    @Test func anIdleServiceSleeps() async throws {
        let outcome = try await ServiceLifeTests.bash(
            """
            dbus-run-session -- bash -c '
                "$dictate" service --engine scripted --device "file:tone.wav" 2>>service.log & service=$!
                for _ in $(seq 600); do "$dictate" status | grep -q idle && break; sleep 0.05; done
                "$dictate" start
                for _ in $(seq 600); do "$dictate" status | grep -q "recording.*one" && break; sleep 0.05; done
                "$dictate" stop >/dev/null
                busctl --user get-property org.swift_dictation.Dictation1 /org/swift_dictation/Dictation1 \
                    org.swift_dictation.Dictation1 State
                count() {
                    for thread in /proc/$service/task/*; do
                        grep -q "$@" $thread/comm && cat $thread/status
                    done | awk "/ctxt_switches/ { sum += \\$2 } END { print sum + 0 }"
                }
                # libdispatch has a timer of one second in every program that uses it, in a thread of its own.
                # What follows a take ends first.
                for _ in $(seq 60); do before=$(count -v overcommit); sleep 1; [ "$(count -v overcommit)" = "$before" ] && break; done
                before=$(count -v overcommit) ticks=$(count overcommit); sleep 20
                echo "$(($(count -v overcommit) - before)) $(($(count overcommit) - ticks)) wake-ups"
                kill -TERM $service; wait $service
            '
            """)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first == "s \"idle\"", "\(outcome)")
        let counts = lines.last?.split(separator: " ").compactMap { Int($0) } ?? []
        try #require(counts.count == 2, "\(outcome)")
        #expect(counts[0] < 5 && counts[1] < 30, "\(outcome)")
    }
}
