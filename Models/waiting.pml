/* Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE. */

/* The waits for the end of one observation's deliveries, for wait.pml.
 *
 *   Wait/DeliveryEnds.swift    watch                     watch
 *                              isInFlightElsewhere       look_elsewhere
 *                              cancelAndWait             cancel_and_wait
 */

inline watch() {
    is_watched = true;
    d_step { empty(stores[me]) -> set(STATE, AWAITED, seen); seen = 0 };
#ifndef NO_FENCE_IN_WATCH
    heavy_fence()
#endif
}

/* isInFlightElsewhere; the own handler is one that this thread's record shows. */
inline look_elsewhere() {
#ifdef NO_LOOK_AT_RELEASED
    is_released = false;
#else
    d_step { load(STATE, seen); is_released = ((seen & RELEASED) != 0); seen = 0 };
#endif
    in_flight = false;
    if
    :: !is_released ->
#ifndef WAIT_FOR_MARKS_FIRST
        d_step { load(OPEN_CLAIMS, w); in_flight = (w != 0); w = 0; r = 0 };
#endif
        do
        :: d_step {
                r < RECORDS && !in_flight ->
                load(MARK(r), w); in_flight = (w == OBSERVATION && r != me); w = 0; r++
            }
        :: else -> break
        od;
        r = 0;
#ifdef WAIT_FOR_MARKS_FIRST
        if :: !in_flight -> look_for_open_claims() :: else fi
#endif
    :: else
    fi;
    is_released = false
}

inline cancel_and_wait() {
    cancel();
#ifndef WATCH_AFTER_LOOK
    watch();
#endif
    do
    :: look_elsewhere();
        if
        :: in_flight ->
#ifdef WATCH_AFTER_LOOK
            watch();
#endif
            d_step { is_raised -> is_raised = false }
        :: else -> break
        fi;
#ifdef LOOK_ONCE
        break
#endif
    od;
    atomic {
        in_flight = false;
        is_watched = false;
        cancel_returned = true;
        check_release();
        forbid(returned_while_a_handler_ran, inside > is_claimed)
    }
}
