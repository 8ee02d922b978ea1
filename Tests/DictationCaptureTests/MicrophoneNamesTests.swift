import Testing

@testable import DictationCapture

@Suite struct MicrophoneNamesTests {
    /// What Debian 12 lists with libasound2-plugins, and what a machine has besides.
    @Test(
        arguments: [
            (
                "lavrate samplerate speexrate jack oss pulse speex upmix vdownmix null", ""
            ),
            (
                "null default lavrate samplerate speexrate jack oss pulse speex upmix vdownmix", "default pulse"
            ),
            ("pipewire default sysdefault:CARD=PCH", "default pipewire sysdefault:CARD=PCH"),
            (
                "null oss hw:CARD=PCH,DEV=0 plughw:CARD=PCH,DEV=0 usbstream:CARD=PCH dsnoop:CARD=PCH,DEV=0",
                "hw:CARD=PCH,DEV=0 plughw:CARD=PCH,DEV=0 dsnoop:CARD=PCH,DEV=0"
            ),
            ("fault mine default jacket", "default fault mine jacket"),
        ])
    func whatCanBeAMicrophoneStays(_ listed: String, _ kept: String) {
        #expect(MicrophoneNames.among(listed.split(separator: " ").map(String.init)).joined(separator: " ") == kept)
    }
}
