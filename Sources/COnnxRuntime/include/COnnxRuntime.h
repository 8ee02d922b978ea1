#pragma once

// A network of ONNX Runtime, which programs open when they run. No build needs the library's own header.
//
// The library has one exported function, `OrtGetApiBase`. It leads to a table of functions that only grows, so the first
// version of the table is all that this needs, and every version of the library has it.

#include <stddef.h>
#include <stdint.h>

/// An open library.
typedef struct OnnxLibrary OnnxLibrary;
/// A loaded network.
typedef struct OnnxNetwork OnnxNetwork;

/// A tensor of 32-bit floating-point numbers, or of one 64-bit integer.
typedef struct {
    const char *name;
    float *numbers;
    int64_t *integer;
    int64_t shape[3];
    size_t dimensions;
    size_t count;
} OnnxTensor;

/// Returns the library that `dlopen` returned the handle of. Returns null if it is not ONNX Runtime. Lasts as long as the
/// process.
OnnxLibrary *onnx_library(void *handle);

/// Loads a network, which uses one thread. Returns null and sets the message if it can't. The caller frees the message.
OnnxNetwork *onnx_load(OnnxLibrary *library, const char *path, char **message);

/// Runs a network, and writes its outputs to the tensors. An output must have exactly as many numbers as its tensor.
/// Returns null, or a message that the caller frees. Several threads may call this at the same time.
char *onnx_run(
    OnnxNetwork *network, const OnnxTensor *inputs, size_t inputCount, const OnnxTensor *outputs, size_t outputCount);

/// Frees a network.
void onnx_free(OnnxNetwork *network);
