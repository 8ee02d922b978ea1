public import DictationCore

extension InstalledModel {
    /// An engine's own check of a model's files, before the model counts as installed. It throws if the engine can't use
    /// the model.
    public typealias Validator = @Sendable (InstalledModel) async throws(DictationError) -> Void
}
