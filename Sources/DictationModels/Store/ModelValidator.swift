public import DictationCore

/// An engine's own check of a model's files, before the model counts as installed. It throws if the engine can't use
/// the model.
public typealias ModelValidator = @Sendable (InstalledModel) async throws(DictationError) -> Void
