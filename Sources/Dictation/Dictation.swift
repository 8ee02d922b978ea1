// One import for apps that turn speech from a microphone or a recording into text.
@_exported public import DictationCapture
@_exported public import DictationCore
@_exported public import DictationEngines
@_exported public import DictationModels
@_exported public import DictationText
