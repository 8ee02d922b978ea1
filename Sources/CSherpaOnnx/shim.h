#pragma once
#include <sherpa-onnx/c-api/c-api.h>
// The version of the header. The C API does not declare it, so Scripts/install-sherpa-onnx writes this file.
#include <sherpa-onnx/version.h>
