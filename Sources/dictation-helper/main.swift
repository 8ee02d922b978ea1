import DictationEngines

DictationHost.run()
