// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#include "CBenchmarks.h"

#include <pthread.h>
#include <stdlib.h>

struct benchmarks_lock {
    pthread_mutex_t mutex;
};

benchmarks_lock *benchmarks_lock_create(void) {
    benchmarks_lock *lock = malloc(sizeof *lock);
    if (!lock || pthread_mutex_init(&lock->mutex, NULL)) abort();
    return lock;
}

void benchmarks_lock_acquire(benchmarks_lock *lock) { pthread_mutex_lock(&lock->mutex); }
void benchmarks_lock_release(benchmarks_lock *lock) { pthread_mutex_unlock(&lock->mutex); }

void benchmarks_lock_destroy(benchmarks_lock *lock) {
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
}
