/// Returns this process's environment variables, each as `NAME=value`, with some added or replaced.
package func environment(adding variables: [String: String]) -> [String] {
    var entries = variables.map { $0 + "=" + $1 }
    var next = environ
    while let entry = next.pointee {
        let text = String(cString: entry)
        if !variables.keys.contains(where: { text.utf8.starts(with: ($0 + "=").utf8) }) { entries.append(text) }
        next += 1
    }
    return entries
}

/// Returns some of this process's environment variables, each as `NAME=value`, with others added or replaced. The rest
/// may hold secrets that the program to start has no use for.
package func environment(keeping names: [String], adding variables: [String: String]) -> [String] {
    let kept = (names + variables.keys).map { $0 + "=" }
    return environment(adding: variables).filter { entry in kept.contains { entry.utf8.starts(with: $0.utf8) } }
}
