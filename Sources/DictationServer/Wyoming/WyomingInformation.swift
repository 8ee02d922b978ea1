import DictationCore
import DictationText

/// What a server says about itself in Wyoming.
enum WyomingInformation {
    static func data(of models: [ServedModel]) async -> [String: JSONValue] {
        var services: [JSONValue] = []
        for model in models {
            let languages = await model.engine.supportedLocales.map(\.language)
            let names = JSONValue.list(Array(Set(languages)).sorted().map { .text($0) })
            let about = about(model.name)
            services.append(
                .object(
                    about.merging([
                        "supports_transcript_streaming": .flag(true),
                        "models": .list([.object(about.merging(["languages": names]) { $1 })]),
                    ]) { $1 }))
        }
        return ["asr": .list(services)]
    }

    private static func about(_ name: String) -> [String: JSONValue] {
        [
            "name": .text(name), "description": .text("\(name) in swift-dictation"), "installed": .flag(true),
            "version": .null,
            "attribution": .object(["name": .text("swift-dictation"), "url": .text("")]),
        ]
    }
}
