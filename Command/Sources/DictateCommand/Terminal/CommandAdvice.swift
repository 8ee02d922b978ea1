import DictationCore

extension DictationError {
    /// The error with advice for the user of the command: the library knows neither commands nor options.
    var advised: DictationError {
        var error = self
        for (library, command) in CommandAdvice.words {
            error.recovery = error.recovery?.replacing(library, with: command)
        }
        return error
    }
}

enum CommandAdvice {
    /// What the library advises, and the same in the words of the command.
    static let words: KeyValuePairs = [
        "The schema lists all settings.": "“dictate settings get” lists all settings.",
        "to a program that toggles dictation, in": "to “dictate toggle” in",
        "add it to ALSACapturer(trustedDevices:).": "add --trust-device.",
        "Install this model again.": "Repair it: run “dictate setup”.",
        "EngineFinder.setup() installs the library.": "“dictate setup” installs the library.",
        "Start it, and choose it in the desktop's settings.":
            "Choose it in the desktop's settings, or run “dictate keyboard --select”.",
        "The last text has what was said.": "“dictate last” prints what was said.",
        "Start a service there.": "Start one, for instance with “dictate service”.",
        "Go on with these results, or choose another folder.": "Go on with --resume, or choose another folder.",
        "then go on with the rest.": "then go on with --resume.",
        "Name the folder of a batch's results.": "Name the folder of “dictate batch --output”.",
        "Finish the batch first": "Finish with --resume",
        "Name the shard, with the number of all shards.":
            "Name the shard: --shard $SLURM_ARRAY_TASK_ID/8, with the number of all shards.",
    ]
}
