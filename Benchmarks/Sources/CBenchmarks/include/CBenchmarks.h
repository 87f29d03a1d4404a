// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Functions that the benchmarks need and Swift's Glibc module does not have: a store that no optimiser
// removes, processor affinity, what malloc has given out, and eventfd.
#ifndef CBENCHMARKS_H
#define CBENCHMARKS_H

#include <stdbool.h>
#include <stdint.h>

/// The variable to which handlers write. Each thread has one, so that two threads share no cache line that is
/// not the subject's own.
extern _Thread_local volatile int64_t benchmarks_sink __attribute__((tls_model("initial-exec")));

/// The work of every handler: one store that can't be removed, and nothing else.
static inline void benchmarks_sink_put(int64_t value) { benchmarks_sink = value; }
static inline int64_t benchmarks_sink_get(void) { return benchmarks_sink; }

/// Nanoseconds of a clock that only goes forward.
int64_t benchmarks_now(void);
/// Sleeps until that clock says so.
void benchmarks_sleep_until(int64_t nanoseconds);
/// Nanoseconds for which the calling thread has run.
int64_t benchmarks_thread_time(void);

/// Puts every thread that the process has onto one processor. New threads come there too.
void benchmarks_pin(void);
/// The same, and which: the first of those that it may use has the number 0. Where there are fewer,
/// they are counted again.
void benchmarks_pin_to(int number);
/// Lets every thread run where it could when the program began.
void benchmarks_unpin(void);

/// Bytes that malloc has given out and not got back.
int64_t benchmarks_allocated_bytes(void);

/// One-minute load of the machine.
double benchmarks_load(void);

/// A plain lock.
typedef struct benchmarks_lock benchmarks_lock;
benchmarks_lock *benchmarks_lock_create(void);
void benchmarks_lock_acquire(benchmarks_lock *lock);
void benchmarks_lock_release(benchmarks_lock *lock);
void benchmarks_lock_destroy(benchmarks_lock *lock);

/// A descriptor that one thread waits at and others raise.
int benchmarks_event_create(void);
void benchmarks_event_raise(int event);
/// Waits until raised, and lowers it.
void benchmarks_event_wait(int event);
void benchmarks_event_close(int event);

#include "CBenchmarksProcesses.h"

#endif
