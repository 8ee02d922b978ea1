#pragma once
#include <microhttpd.h>

// Swift can't call functions with a variable number of arguments.

/// Returns the socket of a connection, or a negative number.
static inline int dictation_connection_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline enum MHD_Result dictation_close_upgraded(struct MHD_UpgradeResponseHandle *connection) {
    return MHD_upgrade_action(connection, MHD_UPGRADE_ACTION_CLOSE);
}
