// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Declarations that Swift's Glibc module lacks: thread-local storage, a compiler fence, the heavy
// half of an asymmetric fence, eventfd, and two questions to the Swift runtime.
#ifndef CSWITCHYARD_H
#define CSWITCHYARD_H

#include <stdbool.h>
#include <stdint.h>

#include "switchyard_socket.h"
#include "switchyard_time.h"
#include "switchyard_trace.h"

#if defined(__linux__)
#define SWITCHYARD_FAST_TLS __attribute__((tls_model("initial-exec")))
#else
#define SWITCHYARD_FAST_TLS
#endif

/// This thread's record of what it protects and delivers; null until its first post.
extern _Thread_local void *switchyard_thread_record SWITCHYARD_FAST_TLS;

static inline void *switchyard_get_thread_record(void) { return switchyard_thread_record; }
static inline void switchyard_set_thread_record(void *record) { switchyard_thread_record = record; }

/// A number that no other thread has while this one lives.
static inline uintptr_t switchyard_thread_identity(void) { return (uintptr_t)&switchyard_thread_record; }

/// This thread's list of values that are released when the thread ends; null until it gets the
/// first.
extern _Thread_local void *switchyard_thread_values SWITCHYARD_FAST_TLS;

static inline void *switchyard_get_thread_values(void) { return switchyard_thread_values; }
static inline void switchyard_set_thread_values(void *values) { switchyard_thread_values = values; }

/// This thread's stack of the mailbox drains that it is inside; null until its first.
extern _Thread_local void *switchyard_thread_drain SWITCHYARD_FAST_TLS;

static inline void *switchyard_get_thread_drain(void) { return switchyard_thread_drain; }
static inline void switchyard_set_thread_drain(void *drain) { switchyard_thread_drain = drain; }

/// This thread's notifications that wait to be posted; null until its first queue.
extern _Thread_local void *switchyard_thread_post_queue SWITCHYARD_FAST_TLS;

static inline void *switchyard_get_thread_post_queue(void) { return switchyard_thread_post_queue; }
static inline void switchyard_set_thread_post_queue(void *queue) { switchyard_thread_post_queue = queue; }

/// The innermost hook of a center that this thread is inside; null outside of any.
extern _Thread_local void *switchyard_thread_hook SWITCHYARD_FAST_TLS;

static inline void *switchyard_get_thread_hook(void) { return switchyard_thread_hook; }
static inline void switchyard_set_thread_hook(void *hook) { switchyard_thread_hook = hook; }

/// The innermost of our posts that this thread is handing to Foundation's center; null outside of
/// any.
extern _Thread_local void *switchyard_thread_outbound SWITCHYARD_FAST_TLS;

static inline void *switchyard_get_thread_outbound(void) { return switchyard_thread_outbound; }
static inline void switchyard_set_thread_outbound(void *post) { switchyard_thread_outbound = post; }

/// This thread's turns to trace a post, the first field of what else it needs to write trace events; never
/// null, and `switchyard_no_turns` until its first event.
extern _Thread_local switchyard_turns *switchyard_thread_turns SWITCHYARD_FAST_TLS;

static inline switchyard_turns *switchyard_get_thread_turns(void) { return switchyard_thread_turns; }
/// Whether the thread has turns of its own.
static inline bool switchyard_has_thread_turns(void) {
    return switchyard_thread_turns != &switchyard_no_turns;
}
/// - null: those of a thread that has written no event.
static inline void switchyard_set_thread_turns(switchyard_turns *turns) {
    switchyard_thread_turns = turns ? turns : &switchyard_no_turns;
}

/// Counts the calling thread's next post. Returns whether it is its turn to be traced, or whether the
/// thread has to ask for that, because the round is another one.
static inline bool switchyard_takes_turn(void) {
    switchyard_turns *turns = switchyard_thread_turns;
    if (turns->round != switchyard_trace_round()) return true;
    return --turns->left == 0;
}

/// Whether the calling thread is the process's first.
bool switchyard_is_main_thread(void);

/// Whether the process's first thread has ended, as it does under `dispatchMain()` and an async `main`.
/// Not seen in a program that loads Switchyard later, from another thread.
bool switchyard_main_thread_has_ended(void);

/// Returns the main actor as the target of its mailbox, retained. The module Switchyard makes it;
/// null in programs without that module.
void *switchyard_main_target(void);

/// Has `callback` called when this thread ends. Cheap to repeat.
void switchyard_watch_thread_end(void (*callback)(void));

/// The light half of an asymmetric fence, for posting threads: together with the heavy half, a full
/// fence.
///
/// Where the heavy half reaches the other cores, the light half only keeps the compiler from moving
/// memory accesses across it; it emits no instruction. On Apple silicon, no public interface makes
/// other cores run a barrier (taking away a page's rights does not interrupt them), so there the
/// light half is a full fence itself.
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

/// Whether the heavy half reaches other threads' cores, so that those threads need no fence of
/// their own.
static inline bool switchyard_has_heavy_fence(void) {
#if defined(SWITCHYARD_ASYMMETRIC_FENCE)
    return true;
#else
    return false;
#endif
}

/// The heavy half of the fence: makes every running thread of the process pass a full memory
/// barrier before it returns.
void switchyard_heavy_fence(void);

/// A plain lock. A waiting thread may be overtaken by one that is running. Creating it aborts if
/// there is no memory.
typedef struct switchyard_lock switchyard_lock;
switchyard_lock *switchyard_lock_create(void);
void switchyard_lock_destroy(switchyard_lock *lock);
void switchyard_lock_acquire(switchyard_lock *lock);
/// Takes the lock if it is free; returns whether it did.
bool switchyard_lock_try(switchyard_lock *lock);
void switchyard_lock_release(switchyard_lock *lock);

/// Has every fork wait for the lock, and both processes go on with it free. For a lock that lives as
/// long as the process, under which nobody forks, and under which no other such lock is taken.
void switchyard_lock_hold_across_forks(switchyard_lock *lock);

/// A signal that one thread waits for and others raise. A raise before the wait is kept. Creating
/// it aborts if there is no memory.
typedef struct switchyard_thread_signal switchyard_thread_signal;
switchyard_thread_signal *switchyard_thread_signal_create(void);
void switchyard_thread_signal_destroy(switchyard_thread_signal *signal);
void switchyard_thread_signal_raise(switchyard_thread_signal *signal);
/// Waits until the signal is raised, and lowers it. Returns false after `nanoseconds` without a
/// raise; a negative number is no limit.
bool switchyard_thread_signal_wait(switchyard_thread_signal *signal, int64_t nanoseconds);

/// Returns a word that no two living threads share. Cheaper than a system call.
static inline uintptr_t switchyard_thread_token(void) { return (uintptr_t)&switchyard_thread_record; }

/// Starts a thread that ends at once, with a stack of `stack_size` bytes (0 for the usual size).
/// Returns zero if that worked, else the error's number.
int switchyard_thread_try(long stack_size);

/// Starts a detached thread with a stack of `stack_size` bytes, which calls `body` with `context`. It
/// begins with all signals blocked.
/// Returns zero, or an error's number; `body` is not called then.
int switchyard_thread_start(long stack_size, void *(*body)(void *), void *context);

/// Returns the system's number of the calling thread, as debuggers and `ps -L` show it.
int32_t switchyard_thread_number(void);


/// Copies the calling thread's name, as debuggers show it, to `name`: at most `size` bytes, with
/// the zero at the end. Linux keeps 15 characters.
void switchyard_get_thread_name(char *name, int size);
void switchyard_set_thread_name(const char *name);

/// Returns the label of the dispatch queue that the calling code runs on. From libdispatch, which
/// this module does not link: for callers that link it.
const char *dispatch_queue_get_label(void *queue);
static inline const char *switchyard_current_queue_label(void) { return dispatch_queue_get_label(0); }

/// A pair of file descriptors whose read end becomes readable when the signal is raised. On Linux
/// both are one eventfd.
typedef struct {
    int read_end;
    int write_end;
} switchyard_signal;

/// Creates a signal. Both ends are -1 if the process is out of descriptors.
switchyard_signal switchyard_signal_create(void);
void switchyard_signal_raise(switchyard_signal signal);
void switchyard_signal_clear(switchyard_signal signal);
void switchyard_signal_close(switchyard_signal signal);
/// Gives each forked child a signal of its own under the same descriptors, and raises it, until
/// `switchyard_signal_forget` is called, which has to be before the signal is closed. Returns false
/// if there is no memory to note the signal.
bool switchyard_signal_survives_fork(switchyard_signal signal);
void switchyard_signal_forget(switchyard_signal signal);
/// Waits until the signal is raised, without clearing it. Returns false after `milliseconds`; a
/// negative number is no limit.
bool switchyard_signal_wait(switchyard_signal signal, int milliseconds);

/// Returns whether `object`'s deinit has begun, after which no strong reference can be made any
/// more. The memory must be alive (by a strong or an unowned reference). From the Swift runtime.
bool swift_isDeallocating(void *object);
static inline bool switchyard_is_deallocating(const void *object) {
    return swift_isDeallocating((void *)object);
}

#if !defined(__APPLE__)
/// Returns `object`, retained once more; null if its deinit has begun. The memory must be alive.
/// From the Swift runtime, for Swift's own objects.
void *swift_tryRetain(void *object);
static inline void *switchyard_try_retain(const void *object) {
    return swift_tryRetain((void *)object);
}
#endif

/// Copies the value at `value`, of the Swift type `type`, to `room` as a value of the Swift type
/// `target`, and returns true; returns false if it is none. As `as?` does it, except that a conformance
/// that is isolated to a global actor does not count, whichever thread asks. A Swift runtime that is
/// older than such conformances counts all.
bool switchyard_cast_unisolated(
    void *room, const void *value, const void *type, const void *target);

#endif
