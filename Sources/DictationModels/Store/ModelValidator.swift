public import DictationCore

/// An engine's own check of a model's files, made before the model counts as installed. It throws for a model that the
/// engine can't use.
public typealias ModelValidator = @Sendable (InstalledModel) async throws(DictationError) -> Void
