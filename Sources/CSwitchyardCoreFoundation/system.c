// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "switchyard_notify_system.h"

#if !defined(__APPLE__)
#include <fcntl.h>
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
#endif
