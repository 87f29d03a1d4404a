// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "switchyard_socket.h"
#include "switchyard_trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// The descriptors that a forked child has to close. The lock is held across the fork, so that the
// child finds the list intact.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t is_prepared = PTHREAD_ONCE_INIT;
static int *descriptors; // Guard: `lock`.
static size_t count;     // Guard: `lock`.
static size_t capacity;  // Guard: `lock`.
// The number of descriptors that could not be noted, for want of memory. Guard: `lock`.
static size_t unnoted;
uint64_t switchyard_forks;

static void before(void) { pthread_mutex_lock(&lock); }
static void after_in_parent(void) { pthread_mutex_unlock(&lock); }

static void after_in_child(void) {
    for (size_t i = 0; i < count; i++) close(descriptors[i]);
    count = 0;
    unnoted = 0;
    __atomic_add_fetch(&switchyard_forks, 1, __ATOMIC_RELAXED);
    switchyard_begin_trace_round();
    pthread_mutex_unlock(&lock);
}

static void prepare(void) { pthread_atfork(before, after_in_parent, after_in_child); }

bool switchyard_fork_closes(int descriptor) {
    pthread_once(&is_prepared, prepare);
    pthread_mutex_lock(&lock);
    if (count == capacity) {
        size_t larger = capacity ? capacity * 2 : 32;
        int *moved = realloc(descriptors, larger * sizeof *moved);
        if (moved) {
            descriptors = moved;
            capacity = larger;
        }
    }
    bool has_room = count < capacity;
    if (has_room) {
        descriptors[count++] = descriptor;
    } else {
        unnoted++;
    }
    pthread_mutex_unlock(&lock);
    return has_room;
}

// Takes a descriptor from the list. Returns whether it was this process's. The caller holds the lock.
static bool forget(int descriptor) {
    for (size_t i = 0; i < count; i++) {
        if (descriptors[i] != descriptor) continue;
        descriptors[i] = descriptors[--count];
        return true;
    }
    if (unnoted == 0 || descriptor < 0) return false;
    unnoted--;
    return true;
}

void switchyard_fork_forget(int descriptor) {
    pthread_mutex_lock(&lock);
    forget(descriptor);
    pthread_mutex_unlock(&lock);
}

void switchyard_fork_close(int descriptor) {
    pthread_mutex_lock(&lock);
    bool is_own = forget(descriptor);
    // Closed under the lock, so that nobody registers a new descriptor of this number before.
    if (is_own) close(descriptor);
    pthread_mutex_unlock(&lock);
}

uint64_t switchyard_fork_generation(void) {
    pthread_once(&is_prepared, prepare);
    return __atomic_load_n(&switchyard_forks, __ATOMIC_RELAXED);
}
