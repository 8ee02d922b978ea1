public import DictationCore
