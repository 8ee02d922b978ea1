import Foundation
import Testing

/// Engines that crash, leak or hang in the middle of a batch.
struct BatchMischiefProofTests {
    /// The library of a real engine crashes, leaks or hangs at the sound of an item.
    @Test func itemsThatCrashLeakOrHangFailAlone() async throws {
        let folder = try Folder()
        try Data(Self.mischief.utf8).write(to: URL(filePath: folder.file("mischief.c")))
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; library=${DICTATION_SHERPA_ONNX:?}/lib
            cc -w -shared -fPIC mischief.c -o mischief.so -Wl,--no-as-needed "-L$library" -lsherpa-onnx-c-api \
                "-Wl,-rpath,$library" || exit 99
            sox "${DICTATION_AUDIO:?}/mfa-ipa_us_2.flac" speech.wav pad 0 3
            # A sound that changes its sign after each, each second or each third sample. No speech does.
            python3 - <<END
            import array, wave
            with wave.open("speech.wav") as file: speech = file.readframes(1 << 20)
            for number, name in enumerate(["crash", "leak", "hang"]):
                sound = array.array("h", [3000 if i // (number + 1) % 2 else -3000 for i in range(16000)])
                with wave.open(name + ".wav", "wb") as file:
                    file.setparams((1, 2, 16000, 0, "NONE", ""))
                    file.writeframes(speech + sound.tobytes() + bytes(96000))
            END
            for name in crash leak hang; do
                for file in speech "$name" speech; do
                    echo "{\\"id\\": \\"$((number++))\\", \\"audio_filepath\\": \\"$file.wav\\"}"
                done
            done >list.jsonl
            DICTATION_SHERPA_ONNX=$PWD/mischief.so "$dictate" batch list.jsonl --output results --engine sherpa-onnx \
                --model "${DICTATION_MODELS:?}/sherpa-onnx-kws-zipformer-gigaspeech-3.3M" \
                --memory-limit 300 --item-timeout 90 --quiet
            echo $?
            """, within: 480)
        #expect(outcome.output == "1\n", "\(outcome)")
        let results = try folder.text("results/results.jsonl").split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        try #require(results.count == 9, "\(outcome)")
        for (index, result) in results.enumerated() {
            // Items of the same helper are well, although it died with them.
            let isGood = index % 3 != 1
            #expect(result["status"] as? String == (isGood ? "done" : "failed"), "\(index): \(result)")
            let text = result["pred_text"] as? String ?? ""
            #expect(!isGood || text.contains("he just decided"), "\(index): \(result)")
        }
        let errors = results.compactMap { $0["error"] as? String }
        try #require(errors.count == 3, "\(errors)")
        #expect(errors[0].contains("left out a part") && errors[1].contains("left out a part"), "\(errors)")
        #expect(errors[2].contains("took longer than 90 s"), "\(errors)")
        #expect(outcome.errors.split(separator: "\n").count { $0.hasPrefix("dictate: ") } == 3, "\(outcome)")
    }

    private static let mischief = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        void SherpaOnnxOnlineStreamAcceptWaveform(void *stream, int rate, const float *samples, int count) {
            static void (*next)(void *, int, const float *, int);
            int length = 1, before = 0, same = 0;
            for (int i = 1; i < count; i++) {
                if (samples[i] * samples[i - 1] >= -1e-6f) { length++; continue; }
                same = length == before ? same + 1 : 0;
                before = length;
                length = 1;
                if (same < 200) continue;
                if (before == 1) *(volatile int *)0 = 1;
                if (before == 2) for (;;) memset(malloc(1 << 20), 1, 1 << 20), usleep(1000);
                if (before == 3) for (;;) pause();
            }
            if (!next) *(void **)&next = dlsym(RTLD_NEXT, "SherpaOnnxOnlineStreamAcceptWaveform");
            next(stream, rate, samples, count);
        }
        """#
}
