import DictationCore
import DictationDesktop
import DictationService
import FoundationEssentials

/// The settings of a service: the user's file, and what the command line says instead of it.
struct ServiceSettingsSource: Sendable {
    private let file: SettingsFile
    private let adjusting: @Sendable (inout ServiceSettings) -> Void

    init(_ invocation: Invocation) throws {
        file = try settingsFile(invocation)
        if try invocation.value(Options.settings) != nil, !FileManager.default.fileExists(atPath: file.path) {
            throw DictationError(
                .invalidInput, "There are no settings at “\(file.path.visible)”.",
                recovery: "Check the path, or make them with “dictate settings set --settings FILE NAME VALUE”.")
        }
        let engine = try invocation.value(Options.engine)
        let script = try invocation.value(Options.script)
        guard script == nil || engine == nil || engine == .scripted else {
            throw DictationError(
                .invalidInput, "--script works only with the engine “scripted”.", recovery: "Omit it.")
        }
        let name = engine?.rawValue ?? script.map { _ in EngineName.scripted.rawValue }
        let model = try script ?? invocation.value(Options.model)
        let locale = try invocation.value(Options.locale)
        let priority = try invocation.value(Options.priority)
        let context = try invocation.values(Options.context)
        let vocabulary = try invocation.value(Options.vocabulary).map(fullPath)
        let server = try ProfileSettings.Server(invocation)
        let device = try invocation.value(Options.device)
        let (length, silence) = (try invocation.value(Options.length), try invocation.value(Options.silence))
        adjusting = { settings in
            var usual = settings.usual
            usual.engine = name ?? usual.engine
            usual.model = model ?? usual.model
            usual.server = server ?? usual.server
            usual.language = locale ?? usual.language
            usual.priority = priority ?? usual.priority
            if !context.isEmpty { usual.context = context }
            usual.vocabulary = vocabulary ?? usual.vocabulary
            // A recording in place of a microphone is the capturer itself.
            if let device { usual.device = device.utf8.starts(with: "file:".utf8) ? nil : device }
            usual.maximumLength = length ?? usual.maximumLength
            usual.endingSilence = silence ?? usual.endingSilence
            usual.text.add(invocation)
            settings.usual = usual
        }
    }

    /// The folder to which paths in the settings are relative.
    var folder: String { file.folder }

    func read() throws(DictationError) -> ServiceSettings { try file.read(adjusting: adjusting) }
}

extension ProfileSettings.Server {
    /// Reads the server from the command line; `nil` if that names none.
    fileprivate init?(_ invocation: Invocation) throws {
        let addresses = try invocation.values(Options.server)
        guard !addresses.isEmpty else { return nil }
        self.init()
        self.addresses = addresses
        model = try invocation.value(Options.serverModel)
        dialect = try invocation.value(Options.dialect)?.rawValue
        isRealtime = invocation.has(Options.realtime)
        authorities = try invocation.value(Options.authorities).map(fullPath)
        tokenVariable = try invocation.value(Options.serverTokenVariable)
        tokenFile = try invocation.value(Options.serverTokenFile).map(fullPath)
        tokenCommand = try invocation.value(Options.serverTokenCommand).map { ["sh", "-c", $0] } ?? []
    }
}

/// Returns a full path. A path on the command line is relative to the current folder.
private func fullPath(_ path: String) -> String {
    path.utf8.first == UInt8(ascii: "/") ? path : FileManager.default.currentDirectoryPath + "/" + path
}
