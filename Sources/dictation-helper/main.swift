import DictationEngines

DictationHelper.run()
