// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#include "CBenchmarks.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/eventfd.h>

int benchmarks_event_create(void) {
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event < 0) abort();
    return event;
}

void benchmarks_event_raise(int event) {
    uint64_t one = 1;
    if (write(event, &one, sizeof one) < 0) return;  // It is full: raised anyway.
}

void benchmarks_event_wait(int event) {
    struct pollfd wait = {.fd = event, .events = POLLIN};
    while (poll(&wait, 1, -1) < 1) {}
    uint64_t count;
    if (read(event, &count, sizeof count) < 0) return;  // Somebody else lowered it.
}

void benchmarks_event_close(int event) { close(event); }
#else
// Measured on Linux alone.
int benchmarks_event_create(void) { abort(); }
void benchmarks_event_raise(int event) {}
void benchmarks_event_wait(int event) {}
void benchmarks_event_close(int event) {}
#endif
