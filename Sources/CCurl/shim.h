#include <curl/curl.h>

// Swift can't call functions with a variable number of arguments.

typedef size_t (*dictation_curl_bytes)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode dictation_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode dictation_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode dictation_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode dictation_curl_set_callback(
    CURL *handle, CURLoption function, dictation_curl_bytes callback, CURLoption data, void *context
) {
    CURLcode code = curl_easy_setopt(handle, function, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, data, context);
}

// Returns the number of bytes of the request that were sent, without its body.
static inline long dictation_curl_sent(CURL *handle) {
    long size = 0;
    return curl_easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &size) == CURLE_OK ? size : 0;
}

static inline CURLcode dictation_curl_set_mime(CURL *handle, curl_mime *value) {
    return curl_easy_setopt(handle, CURLOPT_MIMEPOST, value);
}

static inline CURLcode dictation_curl_socket(CURL *handle, curl_socket_t *socket) {
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, socket);
}

// A request may use HTTP or HTTPS. A redirect of an HTTPS request must stay HTTPS.
static inline CURLcode dictation_curl_set_protocols(CURL *handle, int is_secure) {
#if LIBCURL_VERSION_NUM >= 0x075500
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    if (code != CURLE_OK) return code;
    return curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, is_secure ? "https" : "http,https");
#else
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    if (code != CURLE_OK) return code;
    return curl_easy_setopt(
        handle, CURLOPT_REDIR_PROTOCOLS, (long)(is_secure ? CURLPROTO_HTTPS : CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

// Returns 1 and sets the result if a transfer has finished; otherwise returns 0. Reading the message's union is awkward
// in Swift.
static inline int dictation_curl_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return 1;
        }
    }
    return 0;
}
