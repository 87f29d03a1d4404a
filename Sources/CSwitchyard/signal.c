// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSwitchyard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/eventfd.h>
#endif

switchyard_signal switchyard_signal_create(void) {
    switchyard_signal signal = {-1, -1};
#if defined(__linux__)
    signal.read_end = signal.write_end = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
#else
    int ends[2];
    if (pipe(ends) != 0) return signal;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    signal.read_end = ends[0];
    signal.write_end = ends[1];
#endif
    return signal;
}

void switchyard_signal_raise(switchyard_signal signal) {
    uint64_t one = 1;
    // A full counter or pipe is readable already, so EAGAIN is no failure.
    while (write(signal.write_end, &one, sizeof one) < 0 && errno == EINTR) {}
}

void switchyard_signal_clear(switchyard_signal signal) {
    uint64_t counts[32];
    for (;;) {
        ssize_t taken = read(signal.read_end, counts, sizeof counts);
        if (taken < 0 && errno == EINTR) continue;
        // An eventfd is empty after one read; a pipe is once it gives less than was asked for.
        if (taken < (ssize_t)sizeof counts) return;
    }
}

void switchyard_signal_close(switchyard_signal signal) {
    if (signal.read_end >= 0) close(signal.read_end);
    if (signal.write_end >= 0 && signal.write_end != signal.read_end) close(signal.write_end);
}

bool switchyard_signal_wait(switchyard_signal signal, int milliseconds) {
    struct pollfd entry = {.fd = signal.read_end, .events = POLLIN};
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    int left = milliseconds;
    for (;;) {
        int ready = poll(&entry, 1, left);
        if (ready >= 0 || errno != EINTR) return ready > 0;
        if (milliseconds < 0) continue;
        clock_gettime(CLOCK_MONOTONIC, &now);
        long long passed = (now.tv_sec - start.tv_sec) * 1000LL
            + (now.tv_nsec - start.tv_nsec) / 1000000;
        left = passed >= milliseconds ? 0 : (int)(milliseconds - passed);
    }
}
