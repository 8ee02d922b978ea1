import DictationBatch
import DictationCapture
import DictationCore
import DictationEngines
import DictationModels
import FoundationEssentials
import Glibc

/// One run of `dictate batch`.
struct BatchJob {
    private var request: RecognitionRequest
    private let manifest: String
    private let folder: String
    private let shard: BatchShard
    private let resumes: Bool
    private let retriesFailed: Bool
    private let workers: Int
    private let limits: BatchTranscription.Limits
    private let metrics: String?
    private let printsJSON: Bool
    private let decodesInHelper: Bool
    /// The options that change the texts.
    private let textOptions: [String: String]

    /// Reads the command line.
    init(_ invocation: Invocation) async throws {
        guard let folder = try invocation.value(Options.results) else {
            throw UsageError("“dictate batch” needs --output DIR.", command: "batch")
        }
        self.folder = folder
        manifest = invocation.operands[0]
        request = try await RecognitionRequest(invocation, basedOn: .fileTranscription())
        shard =
            try invocation.value(Options.shard) ?? BatchShard.inSlurmArray(ProcessInfo.processInfo.environment)
            ?? BatchShard(0, of: 1)
        retriesFailed = invocation.has(Options.retryFailed)
        resumes = retriesFailed || invocation.has(Options.resume)
        let allowed = ProcessorAllocation.current.count
        workers = min(try invocation.value(Options.batchJobs) ?? allowed, allowed)
        var limits = BatchTranscription.Limits()
        if let time = try invocation.value(Options.itemTimeout) { limits.time = time }
        if let audio = try invocation.value(Options.itemLength) { limits.audio = audio }
        self.limits = limits
        if let megabytes = try invocation.value(Options.memoryLimit) {
            request.finder.helper?.memoryLimit = Int64(megabytes) << 20
        }
        metrics = try invocation.value(Options.metrics)
        printsJSON = invocation.has(Options.progressLines)
        decodesInHelper = !invocation.has(Options.inProcess)
        let written = invocation.written.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        textOptions = Dictionary(
            written.filter { Options.ofTexts.contains(String($0[0].dropFirst(2))) }
                .map { ($0[0], $0.count > 1 ? $0[1] : "on") }
        ) { "\($0), \($1)" }
    }

    /// Does the items of the shard that have no result.
    func run(_ console: Console) async throws -> ExitCode {
        var request = request
        let found = try await request.findEngine()
        found.problems.forEach(console.complain)
        let list = manifest == "-" ? try await SavedList(in: folder) : nil
        let settings = BatchSettings(
            engine: found.engine.name, model: found.model, modelHash: try await hash(of: found),
            manifest: list?.path ?? FilePath.fromRoot(manifest), locale: request.options.locale, options: textOptions)
        // A list that can't be read leaves no folder behind.
        var first = BatchManifest(path: list?.input ?? settings.manifest).makeAsyncIterator()
        _ = try await first.next()
        let results = try ResultFile(
            folder: folder, shard: shard, settings: settings, resumes: resumes, retriesFailed: retriesFailed)
        try list?.save()
        let (shard, finished) = (shard, results.finished)
        let items = BatchManifest(path: settings.manifest).filter { shard.contains($0.id) && !finished.contains($0.id) }

        var batch = BatchTranscription(
            engine: found.engine, options: request.options, workers: workers, converters: SampleRateConverter.Provider()
        ) { [decodesInHelper] item in
            FileCapturer(path: item.path, channel: item.channel, from: item.offset, inHelper: decodesInHelper)
        }
        batch.limits = limits
        let monitor = BatchMonitor(
            console, after: finished, metrics: metrics, shard: shard, printsJSON: printsJSON, isQuiet: request.isQuiet)
        try monitor.begin()
        monitor.count(BatchManifest(path: settings.manifest), in: shard)
        let work = DictationRuntime.current.task { [batch] () -> Result<Void, DictationError> in
            do throws(DictationError) {
                var iterator = batch.results(of: items).makeAsyncIterator()
                var stored = DictationRuntime.current.now()
                while let result = try await iterator.next() {
                    try results.append(
                        BatchRecord(result, settings: settings, time: Int64(Date().timeIntervalSince1970)))
                    monitor.add(result)
                    let now = DictationRuntime.current.now()
                    // A power failure costs the results of two seconds.
                    if now - stored > .seconds(2) {
                        stored = now
                        try results.sync()
                    }
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        console.signals.receive { work.cancel() }
        let outcome = await work.value
        console.signals.receive(nil)
        try results.sync()
        let progress = monitor.end()
        if let signal = console.signals.last { return ExitCode(endedBy: signal) }
        try outcome.get()
        // An undivided batch is whole now.
        if shard.count == 1 { try await BatchMerge(folder: folder).report(to: console) }
        return progress.failed > 0 ? .someFailed : .done
    }

    private func hash(of found: FoundEngine) async throws(DictationError) -> String? {
        let folders = request.finder.modelFolder.map { [$0] } ?? found.modelFolders()
        return folders.isEmpty ? nil : try await InstalledModel.Hash.sha256(ofFolders: folders)
    }
}
