#pragma once
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

// Swift can't call functions with a variable number of arguments.

/// Returns the socket of a connection, or a negative number.
static inline int dictation_connection_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

struct dictation_header_text {
    const char *start;
    size_t size;
    unsigned char *seen;
    const char *first;
};

static inline void dictation_mark_text(struct dictation_header_text *text, const char *part) {
    if (!part || part < text->start || part >= text->start + text->size) return;
    if (!text->first || part < text->first) text->first = part;
    size_t offset = (size_t)(part - text->start);
    for (size_t end = offset + strlen(part); offset < end && offset < text->size; offset++) text->seen[offset] = 1;
}

static inline enum MHD_Result dictation_mark_header(
    void *text, enum MHD_ValueKind kind, const char *name, const char *value
) {
    (void)kind;
    dictation_mark_text(text, name);
    dictation_mark_text(text, value);
    return MHD_YES;
}

/// Returns whether the headers of a request have bytes that no name and no value has, such as those behind a NUL.
/// `method` is the request's first text. Call this in the first call for the request, while the headers lie behind it.
static inline int dictation_hides_header_bytes(struct MHD_Connection *connection, const char *method) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (!info || info->header_size == 0 || info->header_size > 1 << 16) return 0;
    struct dictation_header_text text = {.start = method, .size = info->header_size};
    text.seen = calloc(text.size, 1);
    if (!text.seen) return 0;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, dictation_mark_header, &text);
    int hides = 0;
    for (size_t i = text.first ? (size_t)(text.first - text.start) : text.size; i < text.size && !hides; i++) {
        char byte = text.start[i];
        hides = !text.seen[i] && byte != 0 && !strchr("\r\n \t:", byte);
    }
    free(text.seen);
    return hides;
}

static inline enum MHD_Result dictation_close_upgraded(struct MHD_UpgradeResponseHandle *connection) {
    return MHD_upgrade_action(connection, MHD_UPGRADE_ACTION_CLOSE);
}
