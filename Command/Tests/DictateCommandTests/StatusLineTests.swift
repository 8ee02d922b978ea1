import DictationCore
import DictationService
import Testing

@testable import DictateCommand

@Suite struct StatusLineTests {
    private func recording(_ change: (inout ServiceStatus) -> Void = { _ in }) -> StatusLine {
        var status = ServiceStatus(engine: "scripted")
        (status.state, status.take, status.elapsed) = (.recording, TakeID(number: 1), .seconds(65))
        (status.finalText, status.hasAudio) = ("so far", true)
        change(&status)
        return StatusLine(status)
    }

    @Test func aTakeIsShownWithItsTimeAndText() {
        #expect(recording().text(.text) == "recording\t1:05\tso far")
        #expect(recording().text(.waybar).contains(#""alt":"recording""#))
    }

    @Test func nothingInvitesToSpeakBeforeAudioArrives() {
        let line = recording { $0.hasAudio = false }
        #expect(line.text(.text).hasPrefix("starting\t"))
        #expect(line.text(.waybar).contains(#""class":"starting""#))
        #expect(line.text(.json).contains(#""hasAudio":false"#))
    }

    @Test func whatIsMissingIsSaid() {
        let loss = "Audio without text: 0:02.0–0:03.0 (the engine failed)."
        let line = recording { $0.loss = loss }
        #expect(line.text(.text) == "recording\t1:05\tso far\t" + loss)
        #expect(line.text(.waybar).contains(loss) && line.text(.json).contains(loss))
    }

    /// Nobody should speak to a microphone that is gone.
    @Test(arguments: [
        (CaptureEvent.InterruptionCause.deviceLost, "gone"), (.suspended, "asleep"), (.noData, "delivers nothing"),
    ])
    func aMicrophoneThatIsGoneIsNotShownAsRecording(cause: CaptureEvent.InterruptionCause, words: String) {
        let line = recording { $0.interruption = cause }
        #expect(line.text(.text) == "interrupted\t1:05\tso far")
        let bar = line.text(.waybar)
        #expect(bar.contains(#""class":"interrupted""#) && bar.contains(words), "\(bar)")
        #expect(line.text(.json).contains(#""state":"recording""#))
        // A pause closes the microphone anyway.
        #expect(recording { ($0.interruption, $0.state) = (cause, .paused) }.text(.text).hasPrefix("paused"))
    }
}
