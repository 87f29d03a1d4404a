// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSwitchyard.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct switchyard_thread_signal {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_raised;
};

switchyard_thread_signal *switchyard_thread_signal_create(void) {
    switchyard_thread_signal *signal = malloc(sizeof *signal);
    if (signal == NULL) abort();
    pthread_mutex_init(&signal->lock, NULL);
#if defined(__linux__)
    // Time limits follow the monotonic clock, because people set the wall clock.
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&signal->changed, &attributes);
    pthread_condattr_destroy(&attributes);
#else
    pthread_cond_init(&signal->changed, NULL);
#endif
    signal->is_raised = false;
    return signal;
}

void switchyard_thread_signal_destroy(switchyard_thread_signal *signal) {
    pthread_cond_destroy(&signal->changed);
    pthread_mutex_destroy(&signal->lock);
    free(signal);
}

void switchyard_thread_signal_raise(switchyard_thread_signal *signal) {
    pthread_mutex_lock(&signal->lock);
    signal->is_raised = true;
    pthread_cond_signal(&signal->changed);
    pthread_mutex_unlock(&signal->lock);
}

// Waits once; false if `left` nanoseconds have passed.
static bool wait_once(switchyard_thread_signal *signal, int64_t left) {
    struct timespec limit;
#if defined(__linux__)
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += left / 1000000000;
    limit.tv_nsec += left % 1000000000;
    if (limit.tv_nsec >= 1000000000) {
        limit.tv_sec += 1;
        limit.tv_nsec -= 1000000000;
    }
    return pthread_cond_timedwait(&signal->changed, &signal->lock, &limit) != ETIMEDOUT;
#else
    limit.tv_sec = left / 1000000000;
    limit.tv_nsec = left % 1000000000;
    return pthread_cond_timedwait_relative_np(&signal->changed, &signal->lock, &limit) != ETIMEDOUT;
#endif
}

bool switchyard_thread_signal_wait(switchyard_thread_signal *signal, int64_t nanoseconds) {
    pthread_mutex_lock(&signal->lock);
    bool in_time = true;
    while (!signal->is_raised && in_time) {
        if (nanoseconds < 0) {
            pthread_cond_wait(&signal->changed, &signal->lock);
        } else {
            // A wake-up without a raise begins the time anew: this is rare, and the wait is never
            // too short.
            in_time = wait_once(signal, nanoseconds);
        }
    }
    bool was_raised = signal->is_raised;
    signal->is_raised = false;
    pthread_mutex_unlock(&signal->lock);
    return was_raised;
}
