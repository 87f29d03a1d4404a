// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// What Swift's Glibc module cannot say: thread-local storage, a compiler fence, the heavy half of
// an asymmetric fence, eventfd, and one question to the Swift runtime.
#ifndef CSWITCHYARD_H
#define CSWITCHYARD_H

#include <stdbool.h>
#include <stdint.h>

#include "switchyard_socket.h"

#if defined(__linux__)
#define SWITCHYARD_FAST_TLS __attribute__((tls_model("initial-exec")))
#else
#define SWITCHYARD_FAST_TLS
#endif

/// This thread's record of what it protects and delivers; null until its first post.
extern _Thread_local void *switchyard_thread_record SWITCHYARD_FAST_TLS;

static inline void *switchyard_get_thread_record(void) { return switchyard_thread_record; }
static inline void switchyard_set_thread_record(void *record) { switchyard_thread_record = record; }

/// This thread's list of values that end with it; null until something was kept for its end.
extern _Thread_local void *switchyard_thread_values SWITCHYARD_FAST_TLS;

static inline void *switchyard_get_thread_values(void) { return switchyard_thread_values; }
static inline void switchyard_set_thread_values(void *values) { switchyard_thread_values = values; }

/// The innermost mailbox drain that this thread is inside; null outside of any.
extern _Thread_local void *switchyard_thread_drain SWITCHYARD_FAST_TLS;

static inline void *switchyard_get_thread_drain(void) { return switchyard_thread_drain; }
static inline void switchyard_set_thread_drain(void *drain) { switchyard_thread_drain = drain; }

/// This thread's notifications that wait to be posted; null until its first queue.
extern _Thread_local void *switchyard_thread_backlog SWITCHYARD_FAST_TLS;

static inline void *switchyard_get_thread_backlog(void) { return switchyard_thread_backlog; }
static inline void switchyard_set_thread_backlog(void *backlog) { switchyard_thread_backlog = backlog; }

/// Whether this thread is inside a dead-letter hook.
bool switchyard_is_in_dead_letter_hook(void);
void switchyard_set_in_dead_letter_hook(bool is_in);

/// Has `callback` called when this thread ends. Cheap to repeat.
void switchyard_watch_thread_end(void (*callback)(void));

/// The light half of an asymmetric fence, for posting threads: with the heavy half, a full fence.
///
/// Where the heavy half reaches the other cores, it keeps the compiler from moving memory accesses
/// across it, and no instruction is emitted. On Apple silicon nothing public makes other cores pass a
/// barrier (taking a page's rights away does not interrupt them): there it is a fence of its own.
#if defined(__linux__) || defined(__x86_64__)
#define SWITCHYARD_ASYMMETRIC_FENCE 1
#endif
static inline void switchyard_light_fence(void) {
#if defined(SWITCHYARD_ASYMMETRIC_FENCE)
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/// Whether the heavy half reaches other threads' cores, so that they can leave out a fence of theirs.
static inline bool switchyard_has_heavy_fence(void) {
#if defined(SWITCHYARD_ASYMMETRIC_FENCE)
    return true;
#else
    return false;
#endif
}

/// The heavy half: makes every running thread of the process pass a full memory barrier before it
/// returns.
void switchyard_heavy_fence(void);

/// A plain lock that whoever runs may take. Aborts when there is no memory for it.
typedef struct switchyard_lock switchyard_lock;
switchyard_lock *switchyard_lock_create(void);
void switchyard_lock_destroy(switchyard_lock *lock);
void switchyard_lock_acquire(switchyard_lock *lock);
/// Whether the lock was free, and is the caller's now.
bool switchyard_lock_try(switchyard_lock *lock);
void switchyard_lock_release(switchyard_lock *lock);

/// What one thread waits for and others raise. A raise before the wait is kept. Aborts when there is
/// no memory for it.
typedef struct switchyard_thread_signal switchyard_thread_signal;
switchyard_thread_signal *switchyard_thread_signal_create(void);
void switchyard_thread_signal_destroy(switchyard_thread_signal *signal);
void switchyard_thread_signal_raise(switchyard_thread_signal *signal);
/// Waits until raised, and lowers it; false after `nanoseconds` (negative: no limit).
bool switchyard_thread_signal_wait(switchyard_thread_signal *signal, int64_t nanoseconds);

/// A word that no two living threads share; cheaper than a system call.
static inline uintptr_t switchyard_thread_token(void) { return (uintptr_t)&switchyard_thread_record; }

/// Copies the calling thread's name, as debuggers show it, to `name`, at most `size` bytes with the
/// zero at the end; Linux keeps 15 characters.
void switchyard_get_thread_name(char *name, int size);
void switchyard_set_thread_name(const char *name);

/// The label of the dispatch queue that the calling code runs on. From libdispatch, which this
/// module does not link: for callers that do.
const char *dispatch_queue_get_label(void *queue);
static inline const char *switchyard_current_queue_label(void) { return dispatch_queue_get_label(0); }

/// A file descriptor pair that becomes readable when signalled. On Linux both are one eventfd.
typedef struct {
    int read_end;
    int write_end;
} switchyard_signal;

/// Both ends are -1 when the process is out of descriptors.
switchyard_signal switchyard_signal_create(void);
void switchyard_signal_raise(switchyard_signal signal);
void switchyard_signal_clear(switchyard_signal signal);
void switchyard_signal_close(switchyard_signal signal);
/// Waits until raised; false after `milliseconds` (negative: no limit).
bool switchyard_signal_wait(switchyard_signal signal, int milliseconds);

/// Whether `object`'s deinit has begun: its strong references are gone for good. The memory must be
/// alive (strongly or by an unowned reference). From the Swift runtime.
bool swift_isDeallocating(void *object);
static inline bool switchyard_is_deallocating(const void *object) {
    return swift_isDeallocating((void *)object);
}

#if !defined(__APPLE__)
/// `object`, retained once more, or null when its deinit has begun. The memory must be alive. From the
/// Swift runtime; for Swift's own objects.
void *swift_tryRetain(void *object);
static inline void *switchyard_try_retain(const void *object) {
    return swift_tryRetain((void *)object);
}
#endif

#endif
