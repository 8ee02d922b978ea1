#pragma once

/// The shared object that this code is in: its path, "" when it is the program itself, NULL when that can't be told.
///
/// A program started with SWIFT_DICTATION_SHERPA_TRIAL in its environment loads and runs a model before `main` is
/// reached, reports through its standard output, and ends. That way a library without a program of its own can try a
/// model in another process: it starts the program that it is in once more.
const char *sherpaOnnxTrialObject(void);
