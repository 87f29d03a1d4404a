/* Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE. */

/* Memory as threads share it, for all models.
 *
 * A store waits in its thread's buffer, first in, first out, until the process `Memory` takes it to
 * memory, sooner or later. A load reads memory. So a load may overtake the stores before it, and
 * nothing else is out of order: that is x86-TSO, and also what is left of C11 on processors with
 * one memory for all (ARMv8) where, as here, every load is an acquire and every store a release.
 *
 *   Swift                                      here
 *   store(_, .releasing)                       store
 *   load(.acquiring)                           load
 *   exchange, bitwiseOr, compareExchange, …    exchange; or set, in a step that waits until the own
 *       (.sequentiallyConsistent)              buffer is empty
 *   bitwiseOr(.acquiringAndReleasing)          set: older stores may wait on
 *   taking a lock                              lock: older stores may wait on
 *   giving a lock back                         unlock: a store like any other
 *   atomicMemoryFence(.sequentiallyConsistent) fence: waits until the own buffer is empty
 *   switchyard_heavy_fence()                   heavy_fence: so for every thread's buffer, one after
 *                                              the other, while all go on
 *
 * WORDS, THREADS, RECORDS (how many threads have one) and DEPTH are the including model's; `me` is
 * the number of the running thread.
 */

byte word[WORDS];
chan stores[THREADS] = [DEPTH] of { byte, byte };

/* States that are wrong bear their name in a variable, so that the checker's message has it. */
#define forbid(name, ...) name = ((__VA_ARGS__) != 0); assert(!name)

bool buffer_too_short;
/* For a moment within a step; no part of the state. */
hidden byte at, what, turns;

/* The bare steps, each to be used once in a d_step that does nothing else with what is shared. */

inline put(address, value) {
    forbid(buffer_too_short, len(stores[me]) == DEPTH);
    stores[me] ! address, value
}

/* Reads memory, or the newest of the own stores under way: the buffer is turned round once. */
inline load(address, result) {
    result = word[address];
    if
    :: stores[me] ?? [eval(address), _] ->
        turns = len(stores[me]);
        do
        :: turns > 0 ->
            stores[me] ? at, what;
            stores[me] ! at, what;
            if :: at == (address) -> result = what :: else fi;
            turns--
        :: else -> break
        od;
        at = 0; what = 0
    :: else
    fi
}

inline set(address, bits, before) {
    before = word[address];
    word[address] = before | (bits)
}

/* Whole steps. */

inline store(address, value) { d_step { put(address, value) } }
inline exchange(address, value) { d_step { empty(stores[me]) -> word[address] = value } }

inline fence() { empty(stores[me]) }

/* Of the other threads, only those with a record leave things to it: a weaker fence than the
 * code's, and fewer steps. */
inline heavy_fence() {
    (empty(stores[me]) && empty(stores[0]));
#if RECORDS > 1
    empty(stores[1])
#endif
#if RECORDS > 2
#error "a heavy fence for more threads"
#endif
}

inline lock_at_once(address) { word[address] == 0 -> word[address] = 1 }
inline lock(address) { d_step { lock_at_once(address) } }
inline unlock(address) { store(address, 0) }

active proctype Memory() {
end:
    do
    :: d_step { stores[0] ? at, what; word[at] = what; at = 0; what = 0 }
#if THREADS > 1
    :: d_step { stores[1] ? at, what; word[at] = what; at = 0; what = 0 }
#endif
#if THREADS > 2
    :: d_step { stores[2] ? at, what; word[at] = what; at = 0; what = 0 }
#endif
#if THREADS > 3
    :: d_step { stores[3] ? at, what; word[at] = what; at = 0; what = 0 }
#endif
    od
}
