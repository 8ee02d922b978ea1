import Foundation
import Testing

/// Tests that other users of the machine, and the names of files and devices, can't misuse the command.
@Suite(.serialized) struct HostileWorldTests {
    private static let signals = ["INT", "TERM", "HUP", "QUIT", "KILL", "USR1", "ALRM", "ABRT"]

    /// The command copies a pipe to a nameless file, so nothing remains after it ends.
    @Test(arguments: signals) func noSignalLeavesWhatWasSaidInTheTemporaryFolder(_ signal: String) async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 10)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; mkdir tmp; mkfifo in; set -m
            TMPDIR=$PWD/tmp "$dictate" transcribe - --script "$script" <in >/dev/null &
            exec 3>in; head -c 200000 '\(tone)' >&3
            for _ in $(seq 600); do
                [ -n "$(find -L /proc/$!/fd -type f -size +190k 2>/dev/null)" ] && echo copied && break; sleep 0.05
            done
            kill -\(signal) $!; exec 3>&-; wait $!; find tmp -type f
            """, environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(outcome.output == "copied\n", "\(outcome)")
    }

    /// An incomplete text has no name either.
    @Test(arguments: signals) func noSignalLeavesHalfAText(_ signal: String) async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        try Data(#"{"version":1,"steps":[{"at":0.5,"final":"said"},{"at":1,"stall":60}]}"#.utf8)
            .write(to: URL(filePath: folder.file("stall.json")))
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; mkdir out; set -m
            "$dictate" transcribe '\(tone)' --script stall.json --output out/text.txt &
            \(Program.waitUntilWritten("said"))
            kill -\(signal) $!; wait $!; cd out; find . -type f -not -name text.txt
            """, environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(outcome.output.isEmpty, "\(outcome)")
    }

    /// Nobody can replace an incomplete file with a link, because its name is unpredictable.
    @Test func aLinkInTheWayIsNotWrittenThrough() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; echo precious >victim
            bash -c 'ln -s victim .text.txt.$$.part; exec "$dictate" transcribe \(tone) --script "$script" --output text.txt'
            cat victim; head -n 1 text.txt
            """)
        #expect(outcome.output == "precious\ngo forward ten <meters> & {stop}\n", "\(outcome)")
    }

    @Test func whatIsKeptIsForTheUserAlone() async throws {
        let folder = try Folder()
        try Data(#"{"version":1,"steps":[{"at":1,"error":{"code":"engineFailed","message":"It broke."}}]}"#.utf8)
            .write(to: URL(filePath: folder.file("fails.json")))
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; umask 0
            "$dictate" live --device 'file:\(try folder.tone(seconds: 3))' --script fails.json --spool spool
            find spool -type d -not -perm 700; find spool -type f -not -perm 600; find spool -type f | wc -l
            """)
        #expect(outcome.output == "2\n", "\(outcome)")
    }

    @Test(arguments: ["live", "doctor"]) func noDeviceNameRunsACommand(_ command: String) async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'
            "$dictate" \(command) --device "tee:null,'|touch proof',raw" --engine scripted; echo "status $?"; ls
            """.replacing(command == "doctor" ? " --engine scripted" : "\0", with: ""))
        #expect(command == "doctor" || outcome.output == "status 2\n", "\(outcome)")
        #expect(!outcome.output.contains("proof\n"), "\(outcome)")
        #expect((outcome.output + outcome.errors).contains("add --trust-device"), "\(outcome)")
    }

    @Test(arguments: [
        "transcribe fifo --engine scripted", "transcribe tone.wav --script fifo",
        "transcribe tone.wav --engine pocketsphinx --grammar fifo", "transcribe tone.wav --script /dev/zero",
        "transcribe tone.wav --model fifo --engine pocketsphinx", "transcribe tone.wav --grammar /dev/zero",
    ])
    func aPipeOrADeviceInPlaceOfAFileIsNotWaitedFor(_ arguments: String) async throws {
        let folder = try Folder()
        _ = try folder.tone("tone.wav", seconds: 1)
        let outcome = try await Program.bash(
            "cd '\(folder.path)'; mkfifo fifo; \"$dictate\" \(arguments); echo \"status $?\"")
        #expect(["status 1\n", "status 2\n", "status 4\n"].contains(outcome.output), "\(outcome)")
        #expect(outcome.errors.hasPrefix("dictate: "))
    }

    @Test func noNameOfAFileForgesAMessage() async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            #"""
            cd '\#(folder.path)'; name=$'no.wav\ndictate: All is well.\e[31m\xc2\x9b1m\xe2\x80\xae'
            "$dictate" transcribe "$name" --engine scripted; "$dictate" transcribe x.wav --model "$name"
            "$dictate" transcribe --engine scripted a.wav b.wav --format srt --output "$name"
            echo text >"$name"; "$dictate" transcribe "$name" --engine scripted; "$dictate" "$name"; "$dictate" --"$name"
            "$dictate" live --device "$name" --engine scripted
            """#)
        let bytes = Array(outcome.errors.utf8)
        #expect(bytes.allSatisfy { $0 == UInt8(ascii: "\n") || $0 >= 0x20 }, "\(outcome)")
        #expect(!outcome.errors.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" }, "\(outcome)")
        #expect(!outcome.errors.split(separator: "\n").contains { $0.hasPrefix("dictate: All is well.") }, "\(outcome)")
    }

    @Test func aSuggestedCommandCanBePasted() async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            #"cd '\#(folder.path)'; echo text >'a b;touch proof'; "$dictate" transcribe 'a b;touch proof' --engine scripted"#
        )
        #expect(outcome.errors.contains("-i 'a b;touch proof' out.wav”"), "\(outcome)")
    }
}
