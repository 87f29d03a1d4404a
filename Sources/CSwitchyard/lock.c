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

// The locks that are held across a fork, so that the child finds what they guard intact. They live as
// long as the process.
static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t is_prepared = PTHREAD_ONCE_INIT;
static switchyard_lock *held[32]; // Guard: `list`.
static size_t count;             // Guard: `list`.

static void before(void) {
    pthread_mutex_lock(&list);
    for (size_t i = 0; i < count; i++) switchyard_lock_acquire(held[i]);
}

static void after(void) {
    for (size_t i = count; i > 0; i--) switchyard_lock_release(held[i - 1]);
    pthread_mutex_unlock(&list);
}

static void prepare(void) { pthread_atfork(before, after, after); }

void switchyard_lock_hold_across_forks(switchyard_lock *lock) {
    pthread_once(&is_prepared, prepare);
    pthread_mutex_lock(&list);
    if (count == sizeof held / sizeof *held) abort();
    held[count++] = lock;
    pthread_mutex_unlock(&list);
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
