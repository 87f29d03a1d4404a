// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The poller for Apple's systems. Written with the same care as the one for epoll, but we have not
// run it.
#if defined(__APPLE__)
#include "switchyard_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/event.h>
#include <time.h>

int switchyard_poller_create(void) {
    int poller = kqueue();
    if (poller < 0) return -errno;
    fcntl(poller, F_SETFD, FD_CLOEXEC);
    return poller;
}

static void change(int poller, int descriptor, int16_t filter, uint64_t token, bool is_on) {
    struct kevent event;
    EV_SET(
        &event, (uintptr_t)descriptor, filter, is_on ? EV_ADD : EV_DELETE, 0, 0,
        (void *)(uintptr_t)token);
    kevent(poller, &event, 1, NULL, 0, NULL);
}

int switchyard_poller_set(int poller, int descriptor, uint64_t token, bool reads, bool writes) {
    change(poller, descriptor, EVFILT_READ, token, reads);
    change(poller, descriptor, EVFILT_WRITE, token, writes);
    return 0;
}

void switchyard_poller_remove(int poller, int descriptor) {
    change(poller, descriptor, EVFILT_READ, 0, false);
    change(poller, descriptor, EVFILT_WRITE, 0, false);
}

int switchyard_poller_wait(int poller, switchyard_event *events, int capacity, int milliseconds) {
    struct kevent ready[64];
    struct timespec limit = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
    if (capacity > 64) capacity = 64;
    int count = kevent(poller, NULL, 0, ready, capacity, milliseconds < 0 ? NULL : &limit);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        events[i].token = (uint64_t)(uintptr_t)ready[i].udata;
        events[i].is_readable = ready[i].filter == EVFILT_READ;
        events[i].is_writable = ready[i].filter == EVFILT_WRITE;
    }
    return count;
}
#endif
