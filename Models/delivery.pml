/* Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE. */

/* One observation, the threads that deliver to it, and who releases what its handler holds. For
 * claim.pml and wait.pml, which add who cancels.
 *
 *   Routing.swift        deliver(_:to:_:_:_:)              deliver_inline
 *   MailDelivery.swift   deliverUnderClaim, …OpenClaim     Mail, Task
 *   Observation.swift    claim, claimOnce                  claim
 *                        deliveryEnded              release_handler_if_idle
 *                        releaseHandler                    release_handler
 *                        mayBeClaimedUnseen                look_for_unseen_claims
 *                        isInFlight                        look_for_marks
 *   NotificationEngine.swift, Match.swift   match, end     Poster
 *
 * Two things stand in for one another, so they have to be taken out together: mail that leaves by an
 * exchange (MAIL_LEAVES_BY_STORE), and the look at marks before the heavy fence (NO_LOOK_AT_MAIL).
 *
 * Threads with a record come first: POSTERS, then, with MAIL, one that drains a mailbox. TASK adds an
 * async delivery. With ONCE, the observation is one-shot.
 */

#define RECORDS (POSTERS + MAIL)
#define MARK(thread) (thread)
#define WALKED(thread) (RECORDS + (thread))
#define SEARCHING(thread) (2 * RECORDS + (thread))
#define LIST (3 * RECORDS)
#define STATE (3 * RECORDS + 1)
#define LOCK (3 * RECORDS + 2)
#define OPEN_CLAIMS (3 * RECORDS + 3)
#define WORDS (3 * RECORDS + 4)
#define DEPTH 8

#include "memory.pml"

/* Values of a record's words. */
#define IDLE 1
#define OBSERVATION 2
#define FIRST 3
#define SECOND 4

/* Bits of STATE. */
#define CANCELLED 1
#define RELEASED 2
#define AWAITED 4

/* The list in limbo, if any. Guard: the lock. */
byte limbo;
/* Whether the second list has the observation. */
bool was_copied;

/* What the properties are about. */
byte inside, claims, releases;
byte busy;      /* threads inside a delivery, from their mark on, or inside cancel */
byte finished;
bool cancel_returned;

bool claimed_after_cancel, claimed_twice;
bool captures_used_after_release, captures_released_while_inside, captures_released_twice;
bool captures_kept_though_nobody_is_inside;

#ifdef WAITING
#define LOCALS \
    byte r, w, seen, current, replaced; bool unseen, in_flight, is_claimed, is_releaser, is_released
#else
#define LOCALS byte r, w, seen, current, replaced; bool unseen, in_flight, is_claimed, is_releaser
#endif

/* The checks. They cost no step: each stands in an atomic block with what it belongs to. */

inline enter() {
    forbid(claimed_after_cancel, cancel_returned);
    claims++;
#ifdef ONCE
    forbid(claimed_twice, claims > 1);
#endif
    inside++
}

inline leave() {
    if
    :: is_claimed ->
        forbid(captures_used_after_release, releases > 0);
        inside--;
        is_claimed = false
    :: else
    fi
}

inline check_release() {
    forbid(captures_kept_though_nobody_is_inside, cancel_returned && busy == 0 && releases == 0)
}

inline end_delivery() { busy--; check_release() }

/* Registry.lists(of:): the current list and those in limbo. One step, because what the lock guards
 * stands still while it is held. */
inline find_lists() {
    d_step {
        word[LOCK] == 0 ->
        load(LIST, current);
#ifndef NO_LIMBO_LISTS
        replaced = limbo
#endif
    }
}

/* ThreadRecord.contains, for a list: reads up to the first zero. */
inline look_for_list(list) {
    d_step { load(MARK(r), w); unseen = (w != 0); w = 0 };
    if
    :: unseen -> d_step { load(WALKED(r), w); unseen = (w == list); w = 0 }
    :: else
    fi
}

inline look_for_unseen_claims() {
    r = 0;
    do
    :: r < RECORDS && !unseen ->
#ifndef NO_LOOK_AT_SEARCHES
        d_step { load(SEARCHING(r), w); unseen = (w != 0); w = 0 };
#endif
        if
        :: !unseen && r != me ->
#ifndef NO_LOOK_AT_WALKS
            if :: current != 0 -> look_for_list(current) :: else fi;
            if :: !unseen && replaced != 0 -> look_for_list(replaced) :: else fi;
#endif
#ifndef NO_LOOK_AT_MAIL
            if
            :: !unseen -> d_step { load(MARK(r), w); unseen = (w == OBSERVATION); w = 0 }
            :: else
            fi
#else
            skip
#endif
        :: else
        fi;
        r++
    :: else -> break
    od
}

inline look_for_marks() {
    d_step { load(OPEN_CLAIMS, w); in_flight = (w != 0); w = 0; r = 0 };
    do
    :: d_step {
            r < RECORDS && !in_flight ->
            load(MARK(r), w); in_flight = (w == OBSERVATION); w = 0; r++
        }
    :: else -> break
    od
}

inline release_handler() {
    /* With this memory it could go: who cancels has changed the state by an exchange, and who leaves
     * a post is seen to walk, and gets a heavy fence. C11 asks for it. */
#ifndef NO_FENCE_BEFORE_LOOK
    fence();
#endif
    look_for_unseen_claims();
#ifndef NO_HEAVY_FENCE
    if :: unseen -> heavy_fence() :: else fi;
#endif
    look_for_marks();
#ifdef NO_LOOK_AT_MARKS
    in_flight = false;
#endif
    if
    :: !in_flight ->
#ifdef RELEASE_WITHOUT_EXCHANGE
        d_step { load(STATE, seen) };
        d_step { set(STATE, RELEASED, w); w = 0 };
#else
        d_step { set(STATE, RELEASED, seen) };
#endif
        if
        :: !(seen & RELEASED) -> d_step {
            forbid(captures_released_while_inside, inside > 0);
            releases++;
            forbid(captures_released_twice, releases > 1)
        }
        :: else
        fi
    :: else
    fi;
#ifdef WAITING
    d_step { load(STATE, seen) };
    if :: seen & AWAITED -> signal() :: else fi;
#endif
    r = 0; w = 0; current = 0; replaced = 0; unseen = false; in_flight = false
}

/* After a delivery: listensForEnds, deliveryEnded. */
inline release_handler_if_idle() {
    d_step {
#ifdef NO_LOOK_AFTER_CALL
        is_releaser = false;
#else
        load(STATE, seen);
        is_releaser = (seen & (CANCELLED | RELEASED)) == CANCELLED;
        seen = 0;
#endif
        if :: !is_releaser -> end_delivery() :: else fi
    };
    if
    :: is_releaser ->
        find_lists();
        release_handler();
        d_step { is_releaser = false; end_delivery() }
    :: else
    fi
}

inline claim() {
#ifdef ONCE
    d_step { load(STATE, seen); is_claimed = !(seen & CANCELLED) };
    if
    :: is_claimed ->
#ifdef CLAIM_IN_TWO_STEPS
        d_step { empty(stores[me]) -> set(STATE, CANCELLED, w); w = 0; enter() };
#else
        d_step {
            empty(stores[me]) ->
            set(STATE, CANCELLED, seen);
            is_claimed = !(seen & CANCELLED);
            if :: is_claimed -> enter() :: else fi
        };
#endif
        if :: is_claimed -> find_lists(); current = 0; replaced = 0 :: else fi
    :: else
    fi;
#else
    d_step {
        load(STATE, seen);
#ifdef CLAIM_WITHOUT_LOOK
        seen = 0;
#endif
        is_claimed = !(seen & CANCELLED);
        if :: is_claimed -> enter() :: else fi
    };
#endif
    seen = 0
}

inline deliver_inline() {
#ifdef CLAIM_BEFORE_MARK
    busy++;
    claim();
    store(MARK(me), OBSERVATION);
#else
    d_step { busy++; put(MARK(me), OBSERVATION) };
    claim();
#endif
#ifdef HANDLER
    if :: is_claimed -> HANDLER :: else fi;
#endif
#ifdef LOOK_BEFORE_IDLE
    d_step { leave() };
    release_handler_if_idle();
    store(MARK(me), IDLE)
#else
    d_step { leave(); put(MARK(me), IDLE) };
    release_handler_if_idle()
#endif
}

/* Observation.cancel. */
inline cancel() {
    d_step {
        empty(stores[me]) ->
        set(STATE, CANCELLED, seen);
        is_releaser = !(seen & CANCELLED);
        seen = 0;
        if :: is_releaser -> busy++ :: else fi
    };
    if
    :: is_releaser ->
        find_lists();
        release_handler();
        d_step { is_releaser = false; end_delivery() }
    :: else
    fi
}

#ifdef WAITING
#include "waiting.pml"
#endif

proctype Poster(byte me) {
    LOCALS;
    byte list;
    store(MARK(me), IDLE);
#ifdef NO_SEARCH_FENCE
    store(SEARCHING(me), 1);
#else
    exchange(SEARCHING(me), 1);
#endif
    d_step { load(LIST, list) };
    if :: list != 0 -> store(WALKED(me), list) :: else fi;
    store(SEARCHING(me), 0);
    if
    :: list == FIRST || (list == SECOND && was_copied) -> deliver_inline()
    :: else
    fi;
    if :: list != 0 -> store(WALKED(me), 0) :: else fi;
    d_step { list = 0; put(MARK(me), 0); finished++ }
}

#if MAIL
proctype Mail(byte me) {
    LOCALS;
#ifdef MAIL_MARKS_BY_STORE
    d_step { busy++; put(MARK(me), OBSERVATION) };
#else
    d_step { empty(stores[me]) -> busy++; word[MARK(me)] = OBSERVATION };
#endif
    claim();
#ifdef MAIL_LEAVES_BY_STORE
    d_step { leave(); put(MARK(me), 0) };
#else
    d_step { empty(stores[me]) -> leave(); word[MARK(me)] = 0 };
#endif
    release_handler_if_idle();
    finished++
}
#endif

#if TASK
proctype Task(byte me) {
    LOCALS;
#ifdef OPEN_CLAIM_BY_STORE
    d_step { busy++; put(OPEN_CLAIMS, 1) };
#else
    d_step { empty(stores[me]) -> busy++; word[OPEN_CLAIMS] = 1 };
#endif
    claim();
    d_step { empty(stores[me]) -> leave(); word[OPEN_CLAIMS] = 0 };
    release_handler_if_idle();
    finished++
}
#endif

/* At the end of everything, the captures have gone. */
active proctype End() {
    d_step {
        finished == THREADS -> forbid(captures_kept_though_nobody_is_inside, releases == 0)
    }
}

inline run_deliveries() {
    word[LIST] = FIRST;
    run Poster(0);
#if POSTERS > 1
    run Poster(1);
#endif
#if MAIL
    run Mail(POSTERS);
#endif
#if TASK
    run Task(RECORDS);
#endif
    skip
}
