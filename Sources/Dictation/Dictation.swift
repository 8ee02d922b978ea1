// One import for apps: what is said with a microphone or found in a recording becomes text.
@_exported public import DictationCapture
@_exported public import DictationCore
@_exported public import DictationEngines
@_exported public import DictationModels
@_exported public import DictationText
