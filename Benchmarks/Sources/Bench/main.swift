import FoundationEssentials

// usage: Bench [RUNS] [FILE.json]
let arguments = CommandLine.arguments
let runs = arguments.count > 1 ? Int(arguments[1]) ?? 5 : 5
let measurements = try await Pipeline.measure(runs: max(1, runs))
for measurement in measurements { print(measurement.line) }
if arguments.count > 2 {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(measurements).write(to: URL(filePath: arguments[2]))
}
