// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#include "CBenchmarks.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#if defined(__linux__)
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif

_Thread_local volatile int64_t benchmarks_sink;

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t benchmarks_now(void) { return nanoseconds(CLOCK_MONOTONIC); }

void benchmarks_sleep_until(int64_t nanoseconds) {
#if defined(__linux__)
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
#else
    // Measured on Linux alone.
    abort();
#endif
}

int64_t benchmarks_thread_time(void) { return nanoseconds(CLOCK_THREAD_CPUTIME_ID); }

int64_t benchmarks_allocated_bytes(void) {
#if defined(__linux__)
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
#elif defined(__APPLE__)
    malloc_statistics_t statistics;
    malloc_zone_statistics(NULL, &statistics);
    return (int64_t)statistics.size_in_use;
#else
    return 0;
#endif
}

double benchmarks_load(void) {
    double load = 0;
    return getloadavg(&load, 1) == 1 ? load : 0;
}
