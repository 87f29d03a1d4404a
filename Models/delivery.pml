/* Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE. */

/* One observation, the threads that deliver to it, and who releases what its handler holds. For
 * claim.pml and wait.pml, which add who cancels.
 *
 *   PlainRun.swift       callOne, callAll                         deliver_inline
 *   Routing.swift        deliver(_:of:to:_:)                      deliver_inline
 *   Observation+Call.swift  calling, deliverUnderClaim            Mail, Flushed
 *                        deliverUnderOpenClaim                    Task
 *   ClaimedParcel.swift  deliver(to:), mailboxEnded               Flushed
 *   Pacer.swift          flush                                    flush
 *                        observationEnded                         drop_waiting
 *   Observation.swift    claim, claimOnce                         claim
 *                        beginOpenClaim, endOpenClaim             begin_open_claim, end_open_claim
 *                        listensForEnds, deliveryEnded            end_delivery
 *                        releaseHandler                           release_handler
 *                        othersMayBeInside                        look_for_unseen_claims
 *                        isInFlight                               look_for_marks
 *   Registry+Match.swift, Match.swift   search, end               Poster
 *
 * Threads with a record come first: POSTERS, then MAIL, those that drain a mailbox. TASK adds an
 * async delivery. With ONCE, the observation is one-shot. With TWICE, the first thread delivers
 * twice, so that its record may become biased, or lose its bias, in between.
 *
 * With FLUSH, a delivery has been put off, and whoever cancels flushes it: claims it, and leaves it
 * to a thread that drains the mailbox, the last one with a record. So it is made although the
 * observation has ended. A number, the open claims, stands for it until that thread has marked it:
 * the claim is handed over. Who looks for it has to look at the number first, and then for marks.
 * The other way round, it may be handed over in between, and found in neither place. With INLINE,
 * that thread flushes on its own, as one that cancels and waits does in the observer's context: it
 * makes the delivery at once, and then cancels. Another may cancel meanwhile.
 */

#ifndef FLUSH
#define FLUSH 0
#endif
#define RECORDS (POSTERS + MAIL + FLUSH)
/* Whether there are open claims. */
#define OPEN (TASK || FLUSH)
#define MARK(thread) (thread)
#define WALKED(thread) (RECORDS + (thread))
#define SEARCHING(thread) (2 * RECORDS + (thread))
#define BIAS(thread) (3 * RECORDS + (thread))
#define LIST (4 * RECORDS)
#define STATE (4 * RECORDS + 1)
#define LOCK (4 * RECORDS + 2)
#define OPEN_CLAIMS (4 * RECORDS + 3)
#define REVOCATION (4 * RECORDS + 4)
#define WORDS (4 * RECORDS + 5)
#ifdef TWICE
#define DEPTH 16
#else
#define DEPTH 8
#endif

#include "memory.pml"
#include "bias.pml"

/* Values of a record's words. IDLE is every mark but this observation's: idle, as the code has it;
 * the next observation's, which in the loop over plain ones takes its place; and none at all,
 * before and after. Who looks for the observation can't tell them apart; nor who looks for a list,
 * because a record without a mark walks none. (Why an idle mark must not be zero is find.pml's.) */
#define IDLE 0
#define OBSERVATION 1
#define FIRST 2
#define SECOND 3

/* Bits of STATE. */
#define CANCELLED 1
#define RELEASED 2
#define AWAITED 4

/* The list in limbo, if any. Guard: the lock. */
byte limbo;
/* Whether the second list has the observation. */
bool was_copied;

#if FLUSH
/* The delivery that was put off: with the pacer; taken from there by who cancels; in the mailbox,
 * claimed; or gone, to be made or dropped. Guard: the pacer's lock, then the mailbox's. */
#define PUT_OFF 0
#define TAKEN 1
#define IN_MAILBOX 2
#define GONE 3
byte late;
#endif

/* The variables of the properties. */
byte inside, claims, releases;
byte busy;      /* deliveries, from their mark or open claim on, and threads inside cancel */
byte finished;
bool cancel_returned;

bool claimed_after_cancel, claimed_twice;
bool captures_used_after_release, captures_released_while_inside, captures_released_twice;
bool captures_kept_though_nobody_is_inside;

#define DELIVERY_LOCALS \
    byte r, w, seen, current, replaced; bool unseen, in_flight, is_claimed, is_releaser; BIAS_LOCALS
#ifdef WAITING
#define LOCALS DELIVERY_LOCALS; bool is_released
#else
#define LOCALS DELIVERY_LOCALS
#endif

/* The number of deliveries of a thread with a record. */
#ifdef TWICE
#define TIMES(thread) ((thread) == 0 -> 2 : 1)
#else
#define TIMES(thread) 1
#endif

/* The checks. They cost no step: each stands in an atomic block with what it belongs to. */

inline enter() {
    forbid(claimed_after_cancel, cancel_returned);
#ifdef ONCE
    claims++;
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

inline not_busy() { busy--; check_release() }

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

inline look_for_list(list) {
    d_step { load(WALKED(r), w); unseen = (w == list); w = 0 }
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

inline look_for_open_claims() {
    d_step { load(OPEN_CLAIMS, w); in_flight = (w != 0); w = 0 }
}

inline look_for_marks() {
#if OPEN
    look_for_open_claims();
#endif
    r = 0;
    do
    :: r < RECORDS && !in_flight ->
        d_step { load(MARK(r), w); in_flight = (w == OBSERVATION); w = 0; r++ }
    :: else -> break
    od
}

/* When no other thread may be inside: the own mark. */
inline look_here() {
    d_step {
        if
        :: me < RECORDS -> load(MARK(me), w); in_flight = (w == OBSERVATION); w = 0
        :: else
        fi
    };
#ifdef MARKS_BEFORE_OPEN_CLAIMS
    if :: !in_flight -> look_for_open_claims() :: else fi
#else
    skip
#endif
}

/* The looks at the records. */
inline look_at_records() {
#ifndef NO_REVOCATION_BY_RELEASE
    revoke_bias();
#endif
    if
    :: is_revoked -> is_revoked = false; unseen = true
    :: else ->
        look_for_unseen_claims();
#ifdef NO_HEAVY_FENCE
        skip
#else
        if :: unseen -> heavy_fence() :: else fi
#endif
    fi;
    if
    :: unseen -> look_for_marks()
    :: else -> look_here()
    fi
}

#if FLUSH
inline drop_waiting() { d_step { if :: late == PUT_OFF -> late = GONE :: else fi } }
#endif

inline release_handler() {
#if FLUSH
    drop_waiting();
#endif
    /* With this memory it could go: who cancels has changed the state by an exchange, and of those
     * who leave, whoever still sees another's mark passes a heavy fence. C11 asks for it. */
#ifndef NO_FENCE_BEFORE_LOOK
    fence();
#endif
#if OPEN && !defined(MARKS_BEFORE_OPEN_CLAIMS) && !defined(NO_LOOK_AT_OPEN_CLAIMS)
    /* First, because a claim goes from here to a mark, never back. Who has one here now looks when
     * it ends. (isInFlight reads the number a second time, for other callers.) */
    look_for_open_claims();
    if :: !in_flight -> look_at_records() :: else fi;
#else
    look_at_records();
#endif
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
    r = 0; w = 0; seen = 0; current = 0; replaced = 0; unseen = false; in_flight = false
}

/* After a delivery, its mark cleared. */
inline end_delivery() {
    d_step {
#ifdef NO_LOOK_AFTER_CALL
        is_releaser = false;
#else
        load(STATE, seen);
        is_releaser = (seen & (CANCELLED | RELEASED)) == CANCELLED;
        seen = 0;
#endif
        if :: !is_releaser -> not_busy() :: else fi
    };
    if
    :: is_releaser ->
        find_lists();
        release_handler();
        d_step { is_releaser = false; not_busy() }
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
    end_delivery();
    store(MARK(me), IDLE)
#else
    d_step { leave(); put(MARK(me), IDLE) };
    end_delivery()
#endif
}

#if OPEN
inline begin_open_claim() {
#ifdef OPEN_CLAIM_BY_STORE
    d_step { busy++; put(OPEN_CLAIMS, 1) };
#else
    d_step { empty(stores[me]) -> busy++; word[OPEN_CLAIMS]++ };
#endif
    claim()
}

/* With it ends the delivery, unless it was handed over; end_delivery is to follow. */
inline end_open_claim() { empty(stores[me]) -> leave(); word[OPEN_CLAIMS]-- }
#endif

#if FLUSH
/* The first look of cancel, which does nothing if another has cancelled, and Pacer.flush as far as
 * the claim. */
inline flush() {
    if
    :: d_step { (word[STATE] & CANCELLED) || late != PUT_OFF -> skip }
    :: d_step { !(word[STATE] & CANCELLED) && late == PUT_OFF -> late = TAKEN };
        begin_open_claim();
        if
        :: is_claimed
        :: else ->
            d_step { end_open_claim(); late = GONE };
            end_delivery()
        fi
    fi
}

/* The mailbox's lock makes older stores visible to the thread that drains it. There are none,
 * because to count the claim was a fence. */
inline enqueue() { d_step { if :: is_claimed -> is_claimed = false; late = IN_MAILBOX :: else fi } }
#endif

/* Observation.cancel, without the flush. Its first look is a step only if it finds another's
 * cancellation, because nothing comes of any other. */
inline cancel_now() {
    if
    :: d_step { word[STATE] & CANCELLED -> skip }
    :: d_step {
            empty(stores[me]) ->
            set(STATE, CANCELLED, seen);
            is_releaser = !(seen & CANCELLED);
            seen = 0;
            if :: is_releaser -> busy++ :: else fi
        }
    fi;
    if
    :: is_releaser ->
        find_lists();
        release_handler();
        d_step { is_releaser = false; not_busy() }
    :: else
    fi
}

/* With INLINE, who cancels flushes nothing: that is the other thread's. */
inline cancel() {
#if FLUSH && !defined(INLINE)
    flush();
    enqueue();
#endif
    cancel_now()
}

#ifdef WAITING
#include "waiting.pml"
#endif

#if POSTERS
proctype Poster(byte me) {
    LOCALS;
    byte list, left = TIMES(me);
    may_become_biased();
    do
    :: left > 0 ->
        publish(SEARCHING(me), 1);
        d_step { load(LIST, list) };
        if :: list != 0 -> store(WALKED(me), list) :: else fi;
        store(SEARCHING(me), 0);
        if
        :: list == FIRST || (list == SECOND && was_copied) -> deliver_inline()
        :: else
        fi;
        d_step {
            if :: list != 0 -> put(WALKED(me), 0); list = 0 :: else fi;
            left--;
            if :: left == 0 -> finished++ :: else fi
        }
    :: else -> break
    od
}
#endif

#if MAIL
proctype Mail(byte me) {
    LOCALS;
    byte left = TIMES(me);
    may_become_biased();
    do
    :: left > 0 ->
        busy++;
        publish(MARK(me), OBSERVATION);
        claim();
        d_step { leave(); put(MARK(me), IDLE) };
        end_delivery();
        d_step { left--; if :: left == 0 -> finished++ :: else fi }
    :: else -> break
    od
}
#endif

#if TASK
proctype Task(byte me) {
    LOCALS;
    begin_open_claim();
    d_step { end_open_claim() };
    end_delivery();
    finished++
}
#endif

#if FLUSH
/* The first half of ClaimedParcel.deliver: the mark stands for the claim before the number ceases
 * to. To end an open claim is to look whether to release, too; here, that finds the own mark. */
inline hand_over() {
#ifdef OPEN_CLAIM_ENDS_FIRST
    /* The number alone, and its look as ever: what breaks is not the thread's own look. */
    d_step { empty(stores[me]) -> word[OPEN_CLAIMS]-- };
    publish(MARK(me), OBSERVATION);
#else
    publish(MARK(me), OBSERVATION);
    d_step { empty(stores[me]) -> word[OPEN_CLAIMS]-- };
#endif
    d_step {
        load(STATE, seen);
        is_releaser = (seen & (CANCELLED | RELEASED)) == CANCELLED;
        seen = 0
    };
    if :: is_releaser -> find_lists(); release_handler(); is_releaser = false :: else fi
}

/* The delivery, which has begun with its open claim. Either it is handed over, or its claim ends
 * without a mark: the handler is async, or the mailbox ends. */
inline deliver_flushed() {
    if
    :: hand_over();
        d_step { leave(); put(MARK(me), IDLE) }
#ifndef INLINE
    :: d_step { end_open_claim() }
#endif
    fi;
    end_delivery()
}

proctype Flushed(byte me) {
    LOCALS;
    may_become_biased();
#ifdef INLINE
    flush();
    if :: is_claimed -> deliver_flushed() :: else fi;
    cancel_now();
#else
    if
    :: d_step { late == IN_MAILBOX -> is_claimed = true; late = GONE };
        deliver_flushed()
    :: late == GONE
    fi;
#endif
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
    bias_at_first(0);
#if RECORDS > 1
    bias_at_first(1);
#endif
#if POSTERS > 0
    run Poster(0);
#endif
#if POSTERS > 1
    run Poster(1);
#endif
#if MAIL
    run Mail(POSTERS);
#if MAIL > 1
    run Mail(POSTERS + 1);
#endif
#endif
#if FLUSH
    run Flushed(POSTERS + MAIL);
#endif
#if TASK
    run Task(RECORDS);
#endif
    skip
}
