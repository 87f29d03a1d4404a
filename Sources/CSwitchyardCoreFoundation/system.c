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
