// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "switchyard_socket.h"

#include <errno.h>
#include <fcntl.h>
#if defined(__linux__)
#include <sys/inotify.h>
#endif
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/// Opens a folder. Waits up to 100 ms for the mode of a folder that another process of the user has
/// just made.
static int open_soon(const char *path) {
    for (int tries = 0;; tries++) {
        int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0 && errno != EACCES) return -errno;
        struct stat status;
        bool is_entered = folder >= 0
            && (fstat(folder, &status) != 0 || (status.st_mode & 0700) == 0700);
        if (is_entered || tries == 20) return folder < 0 ? -EACCES : folder;
        if (folder >= 0) close(folder);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

int switchyard_folder_open(const char *path, uint32_t *owner, uint32_t *mode) {
    if (mkdir(path, 0700) == 0) {
        // The process's umask may have taken away rights that its own user needs.
        if (chmod(path, 0700) != 0) return -errno;
    } else if (errno != EEXIST) {
        return -errno;
    }
    int folder = open_soon(path);
    if (folder < 0) return folder;
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

int switchyard_file_at(const char *path, switchyard_file *file) {
    struct stat status;
    if (lstat(path, &status) != 0) return -errno;
    file->device = (uint64_t)status.st_dev;
    file->number = (uint64_t)status.st_ino;
    return 0;
}

#if defined(__linux__)
int switchyard_watch_create(void) {
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    return watch < 0 ? -errno : watch;
}

int switchyard_watch_add_socket(int watch, const char *path) {
    // An open socket outlives its name: removing the name only changes its count of links
    // (IN_ATTRIB).
    uint32_t events = IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_DONT_FOLLOW | IN_MASK_ADD;
    return inotify_add_watch(watch, path, events) < 0 ? -errno : 0;
}

int switchyard_watch_add_folder(int watch, const char *path) {
    // The watch leaves out IN_ATTRIB: the system reports that for each entry of a watched folder as well.
    uint32_t events = IN_DELETE_SELF | IN_MOVE_SELF | IN_DONT_FOLLOW | IN_MASK_ADD;
    return inotify_add_watch(watch, path, events) < 0 ? -errno : 0;
}

int switchyard_watch_add_removals(int watch, const char *path) {
    uint32_t events = IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR | IN_MASK_ADD;
    return inotify_add_watch(watch, path, events) < 0 ? -errno : 0;
}

void switchyard_watch_clear(int watch) {
    char events[4096];
    while (read(watch, events, sizeof events) > 0) {}
}
#else
int switchyard_watch_create(void) { return -ENOSYS; }
int switchyard_watch_add_socket(int watch, const char *path) { return -ENOSYS; }
int switchyard_watch_add_folder(int watch, const char *path) { return -ENOSYS; }
int switchyard_watch_add_removals(int watch, const char *path) { return -ENOSYS; }
void switchyard_watch_clear(int watch) {}
#endif
