/* Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE. */

/* Who pays for the fence between what a thread publishes in its record and what it reads next: the
 * thread; or, while the record is biased towards it, whoever revokes that bias.
 *
 *   Bias.swift    publish, fence            publish, may_become_biased
 *                 revokeBias, revokeAll     revoke_bias, revoke_all
 *
 * Any record may be biased at the beginning, and become so wherever the code can make it so. That
 * is much to explore; so in the longest runs, with BIASED_AT_FIRST, none becomes so later.
 *
 * RECORDS, BIAS(thread) and REVOCATION, a lock, are the including model's; threads with a record
 * come first.
 */

/* Values of a record's bias. */
#define NONE 0
#define OWNER 1
#define BEING_REVOKED 2

#define BIAS_LOCALS bool is_biased, is_revoked

inline bias_at_first(thread) { if :: word[BIAS(thread)] = OWNER :: skip fi }

/* The compareExchange after the last of a number of fences. The model does not count: it is made or
 * not. While another thread revokes it fails, which is as if it had not been made. */
inline may_become_biased() {
#ifdef BIASED_AT_FIRST
    skip
#else
    if
#ifdef BIAS_BY_STORE
    :: d_step { word[BIAS(me)] == NONE -> put(BIAS(me), OWNER) }
#else
    :: d_step { empty(stores[me]) && word[BIAS(me)] == NONE -> word[BIAS(me)] = OWNER }
#endif
    :: skip
    fi
#endif
}

inline look_at_bias() {
    d_step {
        load(BIAS(me), w);
#ifdef NO_FENCE_WHILE_REVOKED
        is_biased = (w != NONE);
#else
        is_biased = (w == OWNER);
#endif
        w = 0
    }
}

/* Stores what others have to see before this thread reads on. */
inline publish(address, value) {
#ifdef BIAS_READ_FIRST
    look_at_bias();
    store(address, value);
#else
    store(address, value);
    look_at_bias();
#endif
#ifdef NO_FENCE_IN_PUBLISH
    is_biased = true;
#endif
    if
    :: is_biased -> is_biased = false
    :: else -> fence(); may_become_biased()
    fi
}

inline revoke_all() {
#ifndef NO_REVOCATION_LOCK
    lock(REVOCATION);
#endif
    r = 0;
    is_revoked = false;
    do
    :: r < RECORDS ->
        /* One step: with the lock held, nobody else changes a bias that is not NONE. */
        d_step {
            if
            :: r != me && word[BIAS(r)] == OWNER ->
                is_revoked = true;
#ifdef NONE_BEFORE_FENCE
                put(BIAS(r), NONE)
#else
                put(BIAS(r), BEING_REVOKED)
#endif
            :: else
            fi;
            r++
        }
    :: else -> break
    od;
#ifndef REVOCATION_WITHOUT_FENCE
    /* Otherwise another thread has revoked what there was, and passed its own. */
    if :: is_revoked -> heavy_fence() :: else fi;
#endif
    r = 0;
    /* One step, for the same reason; the stores come to memory one after the other. */
    d_step {
        do
        :: r < RECORDS ->
            if :: word[BIAS(r)] == BEING_REVOKED -> put(BIAS(r), NONE) :: else fi;
            r++
        :: else -> break
        od;
        put(REVOCATION, 0)
    }
}

/* is_revoked: whether that took a heavy fence. */
inline revoke_bias() {
    r = 0;
    do
    :: r < RECORDS && !is_revoked ->
        if
        :: r != me -> d_step { load(BIAS(r), w); is_revoked = (w != NONE); w = 0; r++ }
        :: else -> r++
        fi
    :: else -> break
    od;
    if :: is_revoked -> revoke_all() :: else fi;
    r = 0
}
