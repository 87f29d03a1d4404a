// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "switchyard_notify_system.h"

#if !defined(__APPLE__)
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Declared here, because the compiler for C does not find libdispatch's header in the toolchain.
void dispatch_retain(void *object);
void dispatch_release(void *object);
void dispatch_async_f(void *queue, void *context, void (*work)(void *));

void switchyard_queue_retain(void *queue) { dispatch_retain(queue); }

void switchyard_queue_release(void *queue) { dispatch_release(queue); }

void switchyard_queue_async(void *queue, void *context, void (*work)(void *context)) {
    dispatch_async_f(queue, context, work);
}

int switchyard_notify_file_make(
    int folder, const char *name, const void *content, size_t size) {
#if defined(O_TMPFILE)
    int file = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return -errno;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    // The process's mask may have taken the user's own rights from a new file.
    int error = fchmod(file, 0600) != 0 ? errno : 0;
    if (!error) {
        ssize_t written = pwrite(file, content, size, 0);
        if (written != (ssize_t)size) error = written < 0 ? errno : ENOSPC;
    }
    if (!error && linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) != 0) error = errno;
    close(file);
    return -error;
#else
    return -ENOSYS;
#endif
}

_Bool switchyard_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0; }

void switchyard_pipe_write(int end, int number) {
    uint32_t bytes = htonl((uint32_t)number);
    sigset_t broken_pipe, before, pending;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
    if (write(end, &bytes, sizeof bytes) < 0 && errno == EPIPE
        && !sigismember(&pending, SIGPIPE)) {
        // Takes the signal that the call has made for this thread.
        sigtimedwait(&broken_pipe, NULL, &(struct timespec){0});
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
#endif
