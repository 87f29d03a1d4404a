/* Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE. */

/* Finding and protecting, replacing and freeing: no post reads a list or a table that was freed,
 * none misses an observation that was added before it began, and nothing is protected for ever.
 *
 *   Registry+Match.swift, Match.swift          match, add, endSearch, end    Poster
 *   Registry.swift, Registry+Replace.swift,    add, append, replaceList      Adder
 *   ObservationList.swift                      remove, rebuildTable          Remover
 *   RetiredList.swift                                collect                       collect
 *
 * Two posters; one thread adds observation 2; one removes observation 1, and replaces the list by
 * one without it. The adder replaces the list, too, by a longer one; or, with APPEND, there is room
 * in it; or, with TABLES, it brings a new bucket, and the remover replaces the table. With TWICE,
 * the first poster posts twice, so that its record may become biased, or lose its bias, in between.
 */

#ifndef POSTERS
#define POSTERS 2
#endif
#define RECORDS POSTERS
#define ADDER POSTERS
#define REMOVER (POSTERS + 1)
#define THREADS (POSTERS + 2)
#ifdef TWICE
#define DEPTH 16
#else
#define DEPTH 8
#endif

#define MARK(thread) (thread)
#define WALKED(thread) (POSTERS + (thread))
#define SEARCHING(thread) (2 * POSTERS + (thread))
#define BIAS(thread) (3 * POSTERS + (thread))
#define SHARED (4 * POSTERS)
#define LOCK SHARED
#define REVOCATION (SHARED + 1)
#define CANCELLED (SHARED + 2)  /* whether observation 1 is */
#define ADDED (SHARED + 3)      /* whether adding has returned, for posters that begin after */
#define LIST(bucket) (SHARED + 4 + (bucket))
#define COUNT(list) (SHARED + 5 + (list))
#define ELEMENTS(list) (SHARED + 8 + (list))
#ifdef TABLES
#define TABLE (SHARED + 12)
#define SLOT(table) (SHARED + 13 + (table))     /* of the second bucket */
#define WORDS (SHARED + 15)
#else
#define WORDS (SHARED + 12)
#endif

#include "memory.pml"
#include "bias.pml"

#ifdef IDLE_IS_ZERO
#define IDLE 0
#else
#define IDLE 1
#endif

/* Guard: the lock. A bit for each list and table. */
byte limbo, limbo_tables;
byte last_list = 1;

byte freed, freed_tables;
byte finished;

bool list_used_after_free, table_used_after_free, freed_twice;
bool element_read_before_written, observation_lost, protected_for_ever;

/* The number of posts of a thread. */
#ifdef TWICE
#define TIMES(thread) ((thread) == 0 -> 2 : 1)
#else
#define TIMES(thread) 1
#endif

/* An element is the number of an observation, in two bits, the first one lowest. */
#define element(elements, index) ((elements >> (2 * (index))) & 3)
#define check_list() forbid(list_used_after_free, freed & (1 << list))
#define check_table() forbid(table_used_after_free, freed_tables & (1 << table))

proctype Poster(byte me) {
    byte w, added, table, list, count, elements, found, bucket;
    byte left = TIMES(me);
    bool is_biased, is_there;
    may_become_biased();
    do
    :: left > 0 ->
#ifdef TABLES
        if :: bucket = 0 :: bucket = 1 fi;
#endif
        d_step { load(ADDED, added); is_there = true };
        store(MARK(me), IDLE);
        publish(SEARCHING(me), 1);
#ifdef TABLES
        d_step { load(TABLE, table); check_table() };
        if
        :: bucket == 1 -> d_step { load(SLOT(table), is_there); check_table() }
        :: else
        fi;
#endif
        if
        :: is_there -> d_step { load(LIST(bucket), list); check_table(); table = 0 }
        :: else -> table = 0
        fi;
#ifdef SEARCH_ENDS_FIRST
        store(SEARCHING(me), 0);
        if :: list != 0 -> store(WALKED(me), list) :: else fi;
#else
        if :: list != 0 -> store(WALKED(me), list) :: else fi;
        store(SEARCHING(me), 0);
#endif
        if
        :: list != 0 ->
            d_step { load(COUNT(list), count); check_list() };
            d_step {
                load(ELEMENTS(list), elements);
                check_list();
                do
                :: count > 0 ->
                    count--;
                    forbid(element_read_before_written, element(elements, count) == 0);
                    found = found | (1 << element(elements, count))
                :: else -> break
                od;
                elements = 0
            };
            d_step { check_list(); put(WALKED(me), 0) }
        :: else
        fi;
        d_step {
#ifdef TABLES
            forbid(observation_lost, added && bucket == 1 && !(found & 4));
#else
            forbid(observation_lost, added && !(found & 4));
#endif
            added = 0; found = 0; list = 0; bucket = 0; is_there = false;
            put(MARK(me), 0);
            left--;
            if :: left == 0 -> finished++ :: else fi
        }
    :: else -> break
    od
}

/* Frees what nobody reads. Sooner than the code, which waits until it has given the lock back. */
inline collect() {
#ifndef NO_FENCE_IN_COLLECT
    fence();
#endif
    keeps = (limbo == 0 && limbo_tables == 0);
#if defined(WORDS_BEFORE_BIAS)
    look_at_searches();
    look_at_walks();
    revoke_bias_of_readers();
#elif defined(LOOK_AT_WALKS_FIRST)
    revoke_bias_of_readers();
    look_at_walks();
    look_at_searches();
#else
    revoke_bias_of_readers();
    look_at_searches();
    look_at_walks();
#endif
    r = 0;
    d_step {
        forbid(freed_twice, (freed & free_lists) | (freed_tables & limbo_tables));
        if
        :: !keeps ->
            freed = freed | free_lists;
            limbo = limbo & ~free_lists;
            freed_tables = freed_tables | limbo_tables;
            limbo_tables = 0
        :: else
        fi;
        keeps = false; free_lists = 0
    }
}

inline revoke_bias_of_readers() {
#ifdef NO_REVOCATION_BY_COLLECT
    skip
#else
    if :: !keeps -> revoke_bias(); is_revoked = false :: else fi
#endif
}

inline look_at_searches() {
#ifndef NO_LOOK_AT_SEARCHES
    r = 0;
    do
    :: r < POSTERS && !keeps ->
        d_step { load(SEARCHING(r), w); keeps = (w != 0); w = 0; r++ }
    :: else -> break
    od
#else
    skip
#endif
}

inline look_at_walks() {
    free_lists = limbo;
    r = 0;
#ifndef NO_LOOK_AT_WALKS
    do
    :: r < POSTERS && !keeps && free_lists ->
        /* The words of a record, up to the first zero. */
        d_step { load(MARK(r), w) };
        if
        :: w != 0 -> d_step { load(WALKED(r), w); free_lists = free_lists & ~(1 << w) }
        :: else
        fi;
        w = 0;
        r++
    :: else -> break
    od
#endif
}

/* A list with the elements of `list` that are not cancelled, in `elements` and `count`. */
inline compact() {
    d_step { load(CANCELLED, is_cancelled) };
    d_step {
        if
        :: list != 0 ->
            load(COUNT(list), r);
            load(ELEMENTS(list), w);
            do
            :: r > 0 ->
                if
                :: (w & 3) != 1 || !is_cancelled ->
                    elements = elements | ((w & 3) << (2 * count));
                    count++
                :: else
                fi;
                w = w >> 2;
                r--
            :: else -> break
            od;
            w = 0
        :: else
        fi;
        is_cancelled = false
    }
}

/* Makes a list of `elements` the current one of `bucket`; `list` goes to limbo. */
inline replace_list(bucket) {
    if
    :: count > 0 ->
        d_step { last_list++; put(ELEMENTS(last_list), elements); elements = 0 };
        d_step { put(COUNT(last_list), count); count = 0 };
        d_step { put(LIST(bucket), last_list) }
    :: else -> store(LIST(bucket), 0)
    fi;
    d_step { if :: list != 0 -> limbo = limbo | (1 << list) :: else fi; list = 0 }
}

inline take_lock() {
#ifdef NO_LOCK
    skip
#else
    lock(LOCK)
#endif
}

#define LOCALS \
    byte r, w, list, elements, count, free_lists; bool keeps, is_cancelled; BIAS_LOCALS

proctype Adder(byte me) {
    LOCALS;
#ifdef TABLES
    /* A new bucket, the second. Its list, then its slot. */
    take_lock();
    d_step { elements = 2; count = 1 };
    replace_list(1);
    d_step { load(TABLE, w) };
    d_step { put(SLOT(w), 1); w = 0 };
    collect();
#else
    take_lock();
    d_step { load(LIST(0), list) };
#ifdef APPEND
    if
    :: list != 0 ->
        /* The list has room. */
        d_step { load(COUNT(list), count) };
        d_step {
            load(ELEMENTS(list), elements);
            elements = elements | (2 << (2 * count));
            count++
        };
#ifdef COUNT_FIRST
        d_step { put(COUNT(list), count); count = 0 };
        d_step { put(ELEMENTS(list), elements); elements = 0; list = 0 }
#else
        d_step { put(ELEMENTS(list), elements); elements = 0 };
        d_step { put(COUNT(list), count); count = 0; list = 0 }
#endif
    :: else ->
        d_step { elements = 2; count = 1 };
        replace_list(0)
    fi;
#else
    /* The list is full, or gone: a longer one replaces it. */
    compact();
    d_step { elements = elements | (2 << (2 * count)); count++ };
    replace_list(0);
#endif
    collect();
#endif
    unlock(LOCK);
    d_step { put(ADDED, 1); finished++ }
}

proctype Remover(byte me) {
    LOCALS;
    exchange(CANCELLED, 1);
    take_lock();
#ifdef TABLES
    /* The first bucket is empty now: the next table is without it. */
    d_step { load(LIST(0), list) };
    replace_list(0);
    d_step { load(SLOT(0), w) };
    if :: w != 0 -> d_step { put(SLOT(1), w); w = 0 } :: else fi;
#ifdef COLLECT_BEFORE_REPLACE
    limbo_tables = 1;
    collect();
    store(TABLE, 1);
#else
    d_step { put(TABLE, 1); limbo_tables = 1 };
    collect();
#endif
#else
    d_step { load(LIST(0), list) };
    compact();
    replace_list(0);
    collect();
#endif
    d_step { put(LOCK, 0); finished++ }
}

#if POSTERS > 1
#define stores_are_empty (empty(stores[0]) && empty(stores[1]))
#else
#define stores_are_empty empty(stores[0])
#endif

/* When everybody is done, no record protects anything: the next to collect frees what is left. */
active proctype End() {
    byte r;
    d_step {
        finished == THREADS && stores_are_empty ->
        do
        :: r < SEARCHING(POSTERS) -> forbid(protected_for_ever, word[r] != 0); r++
        :: else -> break
        od
    }
}

init {
    atomic {
        word[LIST(0)] = 1;
        word[COUNT(1)] = 1;
        word[ELEMENTS(1)] = 1;
        bias_at_first(0);
        run Poster(0);
#if POSTERS > 1
        bias_at_first(1);
        run Poster(1);
#endif
        run Adder(ADDER);
        run Remover(REMOVER)
    }
}
