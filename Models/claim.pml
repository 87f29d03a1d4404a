/* Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE. */

/* Mark, claim, cancel, release: no delivery is claimed once cancel has returned; what the handler
 * holds is released once, by nobody while somebody is inside, and as soon as nobody is.
 *
 * A thread cancels while others deliver. With ADDER, one more replaces the list that posts walk, and
 * collects limbo: then a poster may walk a list that is no longer the current one.
 */

#define CANCELLER (RECORDS + TASK)
#define THREADS (RECORDS + TASK + 1 + ADDER)

#include "delivery.pml"

proctype Canceller(byte me) {
    LOCALS;
    cancel();
    d_step { cancel_returned = true; check_release(); finished++ }
}

#if ADDER
/* Registry.append into a full list: replaceList, Limbo.collect. */
proctype Adder(byte me) {
    byte r, w;
    bool keeps;
    lock(LOCK);
    d_step { load(STATE, w); was_copied = !(w & CANCELLED); w = 0 };
    d_step { put(LIST, SECOND); limbo = FIRST };
    fence();
    do
    :: d_step { r < RECORDS && !keeps -> load(SEARCHING(r), w); keeps = (w != 0); w = 0; r++ }
    :: else -> break
    od;
    r = 0;
    do
    :: r < RECORDS && !keeps ->
        d_step { load(MARK(r), w); keeps = (w != 0); w = 0 };
        if
        :: keeps -> d_step { load(WALKED(r), w); keeps = (w == FIRST); w = 0 }
        :: else
        fi;
        r++
    :: else ->
        d_step {
            if :: !keeps -> limbo = 0 :: else fi;
            r = 0; keeps = false; word[LOCK] = 0; finished++
        };
        break
    od
}
#endif

init {
    atomic {
        run_deliveries();
        run Canceller(CANCELLER);
#if ADDER
        run Adder(CANCELLER + 1);
#endif
    }
}
