import Testing

/// A text that is not complete is said, with an exit code of its own.
@Suite struct LossTests {
    /// Without `--in-process`, the engine's process died at each piece of audio, and the command printed nothing.
    @Test func aModelThatFailsOnEachStretchIsNamed() async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            cp -r "$DICTATION_MODELS/sherpa-onnx-kws-zipformer-gigaspeech-3.3M" "$folder/model"
            chmod -R u+w "$folder/model"
            cp -f "$DICTATION_MODELS/damaged/encoder.int8.onnx" "$folder/model"
            "$dictate" transcribe --quiet --engine sherpa-onnx --model "$folder/model" "$DICTATION_AUDIO/jfk.flac"
            """, environment: ["folder": folder.path])
        #expect(outcome.status == 4 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("The model in \(folder.file("model")) does not work"), "\(outcome)")
    }

    /// The engine's process aborts at one place of the recording.
    @Test(arguments: [["--quiet"], ["--quiet", "--jobs", "1"]])
    func lostAudioHasItsTimesAndACode(_ options: [String]) async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            \(Self.brokenLibrary)
            DICTATION_SHERPA_ONNX=$folder/broken.so "$dictate" transcribe \(options.joined(separator: " ")) \
                --engine sherpa-onnx --model "$DICTATION_MODELS/sherpa-onnx-kws-zipformer-gigaspeech-3.3M" "$folder/talk.wav"
            """, environment: ["folder": folder.path])
        #expect(outcome.status == 5, "\(outcome)")
        #expect(outcome.output.lowercased().contains("fellow"), "\(outcome)")
        #expect(outcome.errors.contains("Audio without text: 0:"), "\(outcome)")
        #expect(outcome.errors.contains("(the engine failed)"), "\(outcome)")
    }

    @Test func aRecordingWithoutAnyTextFails() async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            \(Self.brokenLibrary)
            DICTATION_SHERPA_ONNX=$folder/broken.so "$dictate" transcribe --quiet \
                --engine sherpa-onnx --model "$DICTATION_MODELS/sherpa-onnx-kws-zipformer-gigaspeech-3.3M" "$folder/mark.wav"
            """, environment: ["folder": folder.path])
        #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("Audio without text: 0:00.0–"), "\(outcome)")
    }

    /// Makes a library whose process aborts when it gets a tone that no voice has, and a recording with such a tone.
    private static let brokenLibrary = """
        cat >"$folder/broken.c" <<'END'
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        void SherpaOnnxOnlineStreamAcceptWaveform(void *stream, int rate, const float *samples, int count) {
            void (*next)(void *, int, const float *, int) = dlsym(RTLD_NEXT, "SherpaOnnxOnlineStreamAcceptWaveform");
            int changes = 0;
            for (int i = 1; i < count; i++) {
                changes = samples[i] * samples[i - 1] < -1e-3f ? changes + 1 : 0;
                if (changes > 200) abort();
            }
            next(stream, rate, samples, count);
        }
        END
        lib=$DICTATION_SHERPA_ONNX/lib
        cc -w -shared -fPIC "$folder/broken.c" -o "$folder/broken.so" -Wl,--no-as-needed -L"$lib" -lsherpa-onnx-c-api \
            -Wl,-rpath,"$lib"
        flac -sd "$DICTATION_AUDIO/jfk.flac" -o "$folder/jfk.wav"
        python3 - "$folder/mark.raw" <<'END'
        import struct, sys
        open(sys.argv[1], "wb").write(struct.pack("<8000h", *[3000, -3000] * 4000))
        END
        sox -r 16000 -b 16 -c 1 -e signed-integer "$folder/mark.raw" "$folder/mark.wav"
        sox -n -r 16000 -b 16 -c 1 "$folder/quiet.wav" trim 0 4
        sox "$folder/jfk.wav" -r 16000 -c 1 "$folder/talk16.wav"
        sox "$folder/talk16.wav" "$folder/quiet.wav" "$folder/mark.wav" "$folder/quiet.wav" "$folder/talk16.wav" "$folder/talk.wav"
        """
}
