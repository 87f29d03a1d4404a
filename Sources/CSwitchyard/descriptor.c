// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "switchyard_socket.h"

#include <fcntl.h>
#include <unistd.h>

bool switchyard_pipe_create(int ends[2]) {
#if defined(__APPLE__)
    if (pipe(ends) != 0) return false;
    for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    return true;
#else
    return pipe2(ends, O_CLOEXEC) == 0;
#endif
}

bool switchyard_descriptor_replace(int place, int descriptor) {
#if defined(__APPLE__)
    return dup2(descriptor, place) >= 0 && fcntl(place, F_SETFD, FD_CLOEXEC) == 0;
#else
    return dup3(descriptor, place, O_CLOEXEC) >= 0;
#endif
}
