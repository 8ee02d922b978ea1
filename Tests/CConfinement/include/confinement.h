/// Puts this process, which may have one thread only, on an empty file system of its own that is mounted on a folder and
/// becomes its root, with the system's /usr and /proc in it. Needs root, or a system that lets a user have namespaces. 0 for success.
int confine_to(const char *folder);
