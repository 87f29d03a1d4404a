// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSwitchyard.h"
#include "switchyard_socket.h"

#include <pthread.h>
#include <stdlib.h>

// The signals that a forked child gets copies of: otherwise it would take its parent's wake-ups.
// The lock is held across the fork, so that the child finds the list intact.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t is_prepared = PTHREAD_ONCE_INIT;
static switchyard_signal *signals; // Guard: `lock`.
static size_t count;               // Guard: `lock`.
static size_t capacity;            // Guard: `lock`.

static void before(void) { pthread_mutex_lock(&lock); }
static void after_in_parent(void) { pthread_mutex_unlock(&lock); }

// Uses only calls that are safe in the child of a process with threads.
static void after_in_child(void) {
    for (size_t i = 0; i < count; i++) {
        switchyard_signal own = switchyard_signal_create();
        if (own.read_end < 0) continue;
        switchyard_descriptor_replace(signals[i].read_end, own.read_end);
        if (own.write_end != own.read_end)
            switchyard_descriptor_replace(signals[i].write_end, own.write_end);
        switchyard_signal_close(own);
        // Entries may wait in the child's copy of a mailbox, whose wake-up went to the parent.
        switchyard_signal_raise(signals[i]);
    }
    pthread_mutex_unlock(&lock);
}

static void prepare(void) { pthread_atfork(before, after_in_parent, after_in_child); }

bool switchyard_signal_survives_fork(switchyard_signal signal) {
    pthread_once(&is_prepared, prepare);
    pthread_mutex_lock(&lock);
    if (count == capacity) {
        size_t larger = capacity ? capacity * 2 : 8;
        switchyard_signal *moved = realloc(signals, larger * sizeof *moved);
        if (moved) {
            signals = moved;
            capacity = larger;
        }
    }
    bool has_room = count < capacity;
    if (has_room) signals[count++] = signal;
    pthread_mutex_unlock(&lock);
    return has_room;
}

void switchyard_signal_forget(switchyard_signal signal) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        if (signals[i].read_end != signal.read_end) continue;
        signals[i] = signals[--count];
        break;
    }
    pthread_mutex_unlock(&lock);
}
