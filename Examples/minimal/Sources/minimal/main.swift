import Dictation

DictationHelper.runIfAsked()  // A new model is first tried in a helper process. This makes the program its own helper.
do {
    let engine = try await EngineFinder(locale: "en-US").engine()
    let session = DictationSession(engine: engine, capturer: ALSACapturer())
    try await session.start()
    print("Speak, then press Return.")
    _ = readLine()
    print(await session.stop().text)
} catch {
    print("No dictation: \(error)")
}
