/* Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE. */

/* Mark, claim, cancel, release: no delivery is claimed once cancel has returned; what the handler
 * holds is released once, by nobody while somebody is inside, and as soon as nobody is.
 *
 * A thread cancels while others deliver. With ADDER, one more replaces the list that posts walk,
 * and collects limbo: then a poster may walk a list that is no longer the current one. With
 * STRANGER, one more revokes bias for reasons of its own. With FLUSH, a delivery that was put off
 * is claimed by whoever cancels, and made by another thread, perhaps after the end (delivery.pml).
 */

#ifndef STRANGER
#define STRANGER 0
#endif
#define CANCELLER (RECORDS + TASK)
#define THREADS (RECORDS + TASK + 1 + ADDER + STRANGER)

#include "delivery.pml"

proctype Canceller(byte me) {
    LOCALS;
    cancel();
    d_step { cancel_returned = true; check_release(); finished++ }
}

#if ADDER
/* Registry.append into a full list: replaceList, RetiredList.collect. */
proctype Adder(byte me) {
    byte r, w;
    bool keeps;
    BIAS_LOCALS;
    d_step { lock_at_once(LOCK); load(STATE, w); was_copied = !(w & CANCELLED); w = 0 };
    d_step { put(LIST, SECOND); limbo = FIRST };
    fence();
#ifndef NO_REVOCATION_BY_COLLECT
    revoke_bias();
    is_revoked = false;
#endif
    do
    :: r < RECORDS && !keeps ->
        d_step { load(SEARCHING(r), w); keeps = (w != 0); w = 0; r++ }
    :: else -> break
    od;
    r = 0;
    do
    :: r < RECORDS && !keeps ->
        d_step { load(WALKED(r), w); keeps = (w == FIRST); w = 0; r++ }
    :: else -> break
    od;
    r = 0;
    d_step {
        if :: !keeps -> limbo = 0 :: else fi;
        keeps = false; word[LOCK] = 0; finished++
    }
}
#endif

#if STRANGER
/* Removes something else, perhaps from another center. */
proctype Stranger(byte me) {
    byte r, w;
    BIAS_LOCALS;
    revoke_bias();
    d_step { is_revoked = false; finished++ }
}
#endif

init {
    atomic {
        run_deliveries();
        run Canceller(CANCELLER);
#if ADDER
        run Adder(CANCELLER + 1);
#endif
#if STRANGER
        run Stranger(CANCELLER + 1 + ADDER);
#endif
    }
}
