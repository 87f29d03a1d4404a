// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "switchyard_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int switchyard_folder_open(const char *path, uint32_t *owner, uint32_t *mode) {
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return -errno;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return -errno;
    struct stat status;
    if (fstat(folder, &status) != 0) {
        int error = errno;
        close(folder);
        return -error;
    }
    *owner = status.st_uid;
    *mode = status.st_mode & 07777;
    return folder;
}

bool switchyard_folder_is_own(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

int64_t switchyard_file_age(int folder, const char *name) {
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -errno;
    return time(NULL) - status.st_ctime;
}
