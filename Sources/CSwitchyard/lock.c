// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSwitchyard.h"

#include <pthread.h>
#include <stdlib.h>

struct switchyard_lock {
    pthread_mutex_t mutex;
};

switchyard_lock *switchyard_lock_create(void) {
    switchyard_lock *lock = malloc(sizeof *lock);
    if (lock == NULL) abort();
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#if defined(__GLIBC__)
    // The lock is held for some nanoseconds at a time, so a short spin pays.
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    if (pthread_mutex_init(&lock->mutex, &attributes) != 0) abort();
    pthread_mutexattr_destroy(&attributes);
    return lock;
}

void switchyard_lock_destroy(switchyard_lock *lock) {
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

bool switchyard_lock_try(switchyard_lock *lock) {
    return pthread_mutex_trylock(&lock->mutex) == 0;
}

void switchyard_lock_acquire(switchyard_lock *lock) { pthread_mutex_lock(&lock->mutex); }

void switchyard_lock_release(switchyard_lock *lock) { pthread_mutex_unlock(&lock->mutex); }
