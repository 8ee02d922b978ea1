import DictationBatch
import DictationCore
import Glibc

extension Options {
    static let results = Option<String>(
        text: "output", "DIR", "Write the results to this folder.", completion: .folders)
    static let shard = Option<BatchShard>(
        "shard", "I/N",
        "Do only part I of N, counted from 0. Default: all, or the part that a Slurm array tells.",
        expects: "two numbers such as 0/8, the first smaller than the second"
    ) { text in
        // Not a path: two numbers.
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let index = numbers[0], let count = numbers[1] else { return nil }
        return try? BatchShard(index, of: count)
    }
    static let resume = Flag("resume", "Go on with results that exist: do only the items without a result.")
    static let retryFailed = Flag("retry-failed", "Like --resume, and do the items again that failed.")
    static let batchJobs = Option<Int>(
        number: "jobs", "N",
        "Transcribe N items at once. Default: the cores that the scheduler, the affinity and the control group allow, which is also the most.",
        in: 1...256)
    static let itemTimeout = Option<Duration>(
        seconds: "item-timeout", "SECONDS", "Give up an item after this long. Default: 14400.")
    static let itemLength = Option<Duration>(
        seconds: "item-length", "SECONDS", "Refuse an item with more audio than this. Default: 86400.")
    static let memoryLimit = Option<Int>(
        number: "memory-limit", "MB", "Replace the engine's process when it needs more memory.", in: 16...1_000_000)
    static let metrics = Option<String>(
        text: "metrics", "FILE", "Keep the progress in this file, in Prometheus' text format.", completion: .files)
    static let progressLines = Flag(
        "progress-json", "Print the progress to standard error, as a line of JSON a second.")
    static let groupBy = Option<String>(
        text: "group-by", "KEY", "Divide the report by the values of this key of the manifest.")

    /// The options of `batch`, and those that change its texts.
    static let batch = [
        results.spec, shard.spec, batchJobs.spec, itemTimeout.spec, itemLength.spec, memoryLimit.spec, metrics.spec,
        engine.spec, locale.spec, model.spec, priority.spec, script.spec, context.spec,
    ]
    static let ofTexts: Set<String> = [
        priority.spec.name, script.spec.name, context.spec.name, words.spec.name, detectLanguage.spec.name,
        itemTimeout.spec.name, itemLength.spec.name,
    ]
}

extension Command {
    static let batch: Command = Command(
        name: "batch", abstract: "Transcribe thousands of recordings: stop, resume, and spread the work.",
        discussion:
            "Each result is a line in a file of the folder. “dictate batch merge DIR” joins the files of all\nshards. A recording that fails does not stop the others.",
        operands: Operands(
            placeholder: "MANIFEST",
            help:
                "A list of recordings (NeMo's or Lhotse's JSON lines, or a path in each line), a folder, a pattern such as “calls/**/*.wav”, or - for a list from standard input.",
            completion: .files, counts: 1...1),
        flags: [
            Options.resume, Options.retryFailed, Options.words, Options.detectLanguage, Options.inProcess,
            Options.progressLines, Options.quiet,
        ],
        options: Options.batch, subcommands: [.batchMerge]
    ) { invocation, console in
        let job = try await BatchJob(invocation)
        do { return try await job.run(console) } catch let error as DictationError {
            return console.exitCode(ofBatch: error)
        } catch let error as OutputError {
            console.complain(error.text)
            return .tryAgain
        }
    }

    static let batchMerge = Command(
        name: "merge", abstract: "Join the results of all shards, and report on them.",
        discussion:
            "Writes results.jsonl (or supervisions.jsonl for Lhotse's cuts), report.json and report.html into\nthe folder. Fails with the exit code 75 while items have no result.",
        operands: Operands(
            placeholder: "DIR", help: "The folder of “dictate batch --output”.", completion: .folders, counts: 1...1),
        options: [Options.groupBy.spec]
    ) { invocation, console in
        do throws(DictationError) {
            let merge = BatchMerge(
                folder: invocation.operands[0], groupKey: try? invocation.value(Options.groupBy))
            try await merge.report(to: console)
            return .done
        } catch {
            return console.exitCode(ofBatch: error)
        }
    }
}

extension Console {
    /// Complains about an error that ended a batch, unless a signal did, and returns the exit code.
    fileprivate func exitCode(ofBatch error: DictationError) -> ExitCode {
        if error.code == .cancelled, let signal = signals.last { return ExitCode(endedBy: signal) }
        complain(error)
        return ExitCode(ofBatch: error)
    }
}

extension BatchMerge {
    /// Joins the results, and prints the sums. A signal ends it.
    func report(to console: Console) async throws(DictationError) {
        let work = DictationRuntime.current.task { () -> Result<Outcome, DictationError> in
            do throws(DictationError) { return .success(try await run()) } catch { return .failure(error) }
        }
        console.signals.receive { work.cancel() }
        let merged = try await work.value.get()
        console.signals.receive(nil)
        if merged.leftOver > 0 {
            console.complain(
                merged.leftOver == 1
                    ? "One result was left out, because its item is not in the manifest any more."
                    : "\(merged.leftOver) results were left out, because their items are not in the manifest any more.")
        }
        if merged.changed > 0 {
            console.complain(
                merged.changed == 1
                    ? "One item has another recording, offset or duration in the manifest now. To transcribe it again, give it another “id”."
                    : "\(merged.changed) items have another recording, offset or duration in the manifest now. To transcribe them again, give each another “id”."
            )
        }
        let sums = [("all", merged.report.total)] + merged.report.groups.sorted { $0.key < $1.key }.map { ($0, $1) }
        console.say((sums.map { "\($0.visible): \($1.line)" } + [merged.path]).joined(separator: "\n"))
    }
}

extension ExitCode {
    /// The exit code of a batch that a signal ended.
    init(endedBy signal: Int32) { self = signal == SIGTERM ? .terminated : .interrupted }

    /// The exit code for an error that ended a batch. Schedulers start a job again that ends with 75. The code 1 means that
    /// all is done, but items failed.
    init(ofBatch error: DictationError) {
        switch error.code {
        case .storageFull, .alreadyRunning, .timedOut, .deviceUnavailable, .engineFailed, .batchIncomplete:
            self = .tryAgain
        default: self = ExitCode(error) == .someFailed ? .badUse : ExitCode(error)
        }
    }
}
