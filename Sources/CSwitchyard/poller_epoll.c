// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#include "switchyard_socket.h"

#include <errno.h>
#include <sys/epoll.h>

int switchyard_poller_create(void) {
    int poller = epoll_create1(EPOLL_CLOEXEC);
    return poller < 0 ? -errno : poller;
}

int switchyard_poller_set(int poller, int descriptor, uint64_t token, bool reads, bool writes) {
    struct epoll_event event = {
        .events = (reads ? EPOLLIN | EPOLLRDHUP : 0u) | (writes ? EPOLLOUT : 0u),
        .data.u64 = token,
    };
    if (epoll_ctl(poller, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
    if (errno == ENOENT && epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0) return 0;
    return -errno;
}

void switchyard_poller_remove(int poller, int descriptor) {
    epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, &(struct epoll_event){0});
}

int switchyard_poller_wait(int poller, switchyard_event *events, int capacity, int milliseconds) {
    struct epoll_event ready[64];
    if (capacity > 64) capacity = 64;
    int count = epoll_wait(poller, ready, capacity, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        uint32_t flags = ready[i].events;
        // A closed or broken connection counts as ready: reading and writing tell what happened.
        bool is_gone = flags & (EPOLLHUP | EPOLLERR);
        events[i].token = ready[i].data.u64;
        events[i].is_readable = is_gone || (flags & (EPOLLIN | EPOLLRDHUP));
        events[i].is_writable = is_gone || (flags & EPOLLOUT);
    }
    return count;
}
#endif
