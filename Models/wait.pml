/* Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE. */

/* cancelAndWait (Wait/CancelAndWait.swift; cancelAndDrain is the same): it returns only when no
 * other thread is inside the handler, and it does return. A waiter that nobody wakes is what the
 * checker calls an invalid end state.
 *
 * One thread cancels and waits while others deliver. With RIVAL, another cancels at the same time,
 * so that the waiter may come upon an observation that is cancelled, but not seen to yet. With
 * INSIDE, the waiter is the handler of the first poster: it does not wait for itself. With FLUSH,
 * it waits for the delivery that its own cancellation, or the other one, flushes.
 */

#ifdef INSIDE
#define HANDLER if :: me == 0 -> cancel_and_wait() :: else fi
#define WAITER_THREADS 0
#else
#define WAITER_THREADS 1
#endif
#define WAITING
#define THREADS (RECORDS + TASK + WAITER_THREADS + RIVAL)

/* DeliveryEnds.looks and ThreadSignal: behind locks, so at once. */
bool is_watched, is_raised;

inline signal() { if :: is_watched -> is_raised = true :: else fi }

bool returned_while_a_handler_ran;

#include "delivery.pml"

#ifndef INSIDE
proctype Waiter(byte me) {
    LOCALS;
    cancel_and_wait();
    finished++
}
#endif

#if RIVAL
proctype Rival(byte me) {
    LOCALS;
    cancel();
    finished++
}
#endif

init {
    atomic {
        run_deliveries();
#ifndef INSIDE
        run Waiter(RECORDS + TASK);
#endif
#if RIVAL
        run Rival(RECORDS + TASK + WAITER_THREADS);
#endif
    }
}
