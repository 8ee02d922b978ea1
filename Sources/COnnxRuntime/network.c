#define _GNU_SOURCE
#include "COnnxRuntime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct OrtEnv OrtEnv;
typedef struct OrtStatus OrtStatus;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtShape OrtShape;
typedef struct OrtValue OrtValue;

/// The beginning of the library's table of functions. `other` fields keep the place of functions that are not used.
typedef struct {
    void *other0[2];
    const char *(*message)(const OrtStatus *);
    OrtStatus *(*createEnv)(int level, const char *name, OrtEnv **);
    void *other4[3];
    OrtStatus *(*createSession)(const OrtEnv *, const char *path, const OrtSessionOptions *, OrtSession **);
    void *other8[1];
    OrtStatus *(*run)(
        OrtSession *, const void *options, const char *const *inputNames, const OrtValue *const *inputs,
        size_t inputCount, const char *const *outputNames, size_t outputCount, OrtValue **outputs);
    OrtStatus *(*createOptions)(OrtSessionOptions **);
    void *other11[11];
    OrtStatus *(*setLogLevel)(OrtSessionOptions *, int);
    void *other23[1];
    OrtStatus *(*setThreads)(OrtSessionOptions *, int);
    OrtStatus *(*setParallelNodes)(OrtSessionOptions *, int);
    void *other26[23];
    OrtStatus *(*createTensor)(
        const OrtMemoryInfo *, void *data, size_t byteCount, const int64_t *shape, size_t dimensions, int type,
        OrtValue **);
    void *other50[1];
    OrtStatus *(*data)(OrtValue *, void **);
    void *other52[8];
    OrtStatus *(*elementType)(const OrtShape *, int *);
    void *other61[3];
    OrtStatus *(*elementCount)(const OrtShape *, size_t *);
    OrtStatus *(*shape)(const OrtValue *, OrtShape **);
    void *other66[3];
    OrtStatus *(*createMemoryInfo)(int allocator, int memory, OrtMemoryInfo **);
    void *other70[23];
    void (*freeStatus)(OrtStatus *);
    void (*freeMemoryInfo)(OrtMemoryInfo *);
    void (*freeSession)(OrtSession *);
    void (*freeValue)(OrtValue *);
    void *other97[2];
    void (*freeShape)(OrtShape *);
    void (*freeOptions)(OrtSessionOptions *);
} OrtFunctions;

#define PLACE(field) (offsetof(OrtFunctions, field) / sizeof(void *))
_Static_assert(PLACE(message) == 2 && PLACE(createSession) == 7 && PLACE(run) == 9, "places in the table");
_Static_assert(PLACE(createOptions) == 10 && PLACE(setLogLevel) == 22 && PLACE(setThreads) == 24, "places in the table");
_Static_assert(PLACE(createTensor) == 49 && PLACE(data) == 51 && PLACE(elementType) == 60, "places in the table");
_Static_assert(PLACE(elementCount) == 64 && PLACE(createMemoryInfo) == 69, "places in the table");
_Static_assert(PLACE(freeStatus) == 93 && PLACE(freeShape) == 99 && PLACE(freeOptions) == 100, "places in the table");

struct OnnxLibrary {
    const OrtFunctions *functions;
    OrtEnv *environment;
    OrtMemoryInfo *memory;
};

struct OnnxNetwork {
    const OnnxLibrary *library;
    OrtSession *session;
};

enum { firstVersion = 1, logErrors = 3, typeFloat = 1, typeInteger = 7, arena = 1, usualMemory = 0, mostTensors = 4 };

OnnxLibrary *onnx_library(void *handle) {
    typedef struct {
        const OrtFunctions *(*functions)(uint32_t version);
        const char *(*version)(void);
    } Base;
    void *symbol = dlsym(handle, "OrtGetApiBase");
    if (!symbol) return NULL;
    const Base *(*base)(void);
    memcpy(&base, &symbol, sizeof base);
    const OrtFunctions *functions = base() ? base()->functions(firstVersion) : NULL;
    OnnxLibrary *library = functions ? calloc(1, sizeof *library) : NULL;
    if (!library) return NULL;
    library->functions = functions;
    // Like the library, both last as long as the process.
    OrtStatus *failure = functions->createEnv(logErrors, "dictation", &library->environment);
    if (!failure) failure = functions->createMemoryInfo(arena, usualMemory, &library->memory);
    if (!failure) return library;
    functions->freeStatus(failure);
    free(library);
    return NULL;
}

/// Returns the message of a failure, and frees the failure. Returns null for none.
static char *takeMessage(const OrtFunctions *functions, OrtStatus *failure) {
    if (!failure) return NULL;
    char *message = strdup(functions->message(failure));
    functions->freeStatus(failure);
    return message ? message : strdup("out of memory");
}

OnnxNetwork *onnx_load(OnnxLibrary *library, const char *path, char **message) {
    const OrtFunctions *functions = library->functions;
    OnnxNetwork *network = calloc(1, sizeof *network);
    if (!network) return NULL;
    network->library = library;
    OrtSessionOptions *options = NULL;
    OrtStatus *failure = functions->createOptions(&options);
    if (!failure) failure = functions->setLogLevel(options, logErrors + 1);
    // With one thread there is no other that waits for work and spins.
    if (!failure) failure = functions->setThreads(options, 1);
    if (!failure) failure = functions->setParallelNodes(options, 1);
    if (!failure) failure = functions->createSession(library->environment, path, options, &network->session);
    if (options) functions->freeOptions(options);
    if (!failure) return network;
    *message = takeMessage(functions, failure);
    free(network);
    return NULL;
}

static OrtStatus *makeValue(const OnnxLibrary *library, const OnnxTensor *tensor, OrtValue **value) {
    void *data = tensor->integer ? (void *)tensor->integer : (void *)tensor->numbers;
    size_t size = tensor->count * (tensor->integer ? sizeof *tensor->integer : sizeof *tensor->numbers);
    return library->functions->createTensor(
        library->memory, data, size, tensor->shape, tensor->dimensions, tensor->integer ? typeInteger : typeFloat, value);
}

/// Copies an output to its tensor, and returns null or a message.
static char *copyOutput(const OrtFunctions *functions, OrtValue *value, const OnnxTensor *tensor) {
    OrtShape *shape = NULL;
    size_t count = 0;
    int type = 0;
    void *data = NULL;
    OrtStatus *failure = functions->shape(value, &shape);
    if (!failure) failure = functions->elementCount(shape, &count);
    if (!failure) failure = functions->elementType(shape, &type);
    if (!failure) failure = functions->data(value, &data);
    if (shape) functions->freeShape(shape);
    if (failure) return takeMessage(functions, failure);
    if (type != typeFloat || count != tensor->count) return strdup("an output has another size or type");
    memcpy(tensor->numbers, data, count * sizeof *tensor->numbers);
    return NULL;
}

char *onnx_run(
    OnnxNetwork *network, const OnnxTensor *inputs, size_t inputCount, const OnnxTensor *outputs, size_t outputCount) {
    const OrtFunctions *functions = network->library->functions;
    if (inputCount > mostTensors || outputCount > mostTensors) return strdup("too many tensors");
    const char *inputNames[mostTensors], *outputNames[mostTensors];
    OrtValue *given[mostTensors] = {NULL}, *found[mostTensors] = {NULL};
    OrtStatus *failure = NULL;
    for (size_t i = 0; i < inputCount && !failure; i++) {
        inputNames[i] = inputs[i].name;
        failure = makeValue(network->library, &inputs[i], &given[i]);
    }
    for (size_t i = 0; i < outputCount; i++) outputNames[i] = outputs[i].name;
    if (!failure) {
        failure = functions->run(
            network->session, NULL, inputNames, (const OrtValue *const *)given, inputCount, outputNames, outputCount,
            found);
    }
    char *message = takeMessage(functions, failure);
    for (size_t i = 0; i < outputCount && !message; i++) message = copyOutput(functions, found[i], &outputs[i]);
    for (size_t i = 0; i < mostTensors; i++) {
        if (given[i]) functions->freeValue(given[i]);
        if (found[i]) functions->freeValue(found[i]);
    }
    return message;
}

void onnx_free(OnnxNetwork *network) {
    if (!network) return;
    network->library->functions->freeSession(network->session);
    free(network);
}
