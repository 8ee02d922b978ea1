#pragma once
#include <sherpa-onnx/c-api/c-api.h>
// The header's version, which the C API itself does not have; Scripts/install-sherpa-onnx writes it.
#include <sherpa-onnx/version.h>
