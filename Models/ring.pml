/* Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE. */

/* The ring of a thread's trace events: a reader sees whole events only, and counts exactly those that were
 * overwritten before it could read them.
 *
 *   TraceWriter.swift  append            Writer
 *   TraceRing.swift    read              Reader
 *
 * One thread writes and one reads, without a lock. The writer's stores are releasing and the reader's
 * loads are acquiring, so each thread's steps become visible in their order: the model need not delay stores.
 *
 * An event is two words with its number. The writer writes EVENTS of them; the reader reads ROUNDS times.
 */

#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef EVENTS
#define EVENTS 6
#endif
#define ROUNDS 3

byte first_word[CAPACITY], second_word[CAPACITY];
/* The number of events that were written. */
byte written;

proctype Writer() {
    byte number = 1;
    do
    :: number <= EVENTS ->
#ifdef COUNT_FIRST
        written = number;
#endif
        first_word[(number - 1) % CAPACITY] = number;
        second_word[(number - 1) % CAPACITY] = number;
#ifndef COUNT_FIRST
        written = number;
#endif
        number++
    :: else -> break
    od
}

#define OLDEST(count) ((count) > CAPACITY -> (count) - CAPACITY : 0)
#define LATER(one, other) ((one) > (other) -> (one) : (other))

proctype Reader() {
    byte cursor, end, start, intact, index, now, round, seen, lost;
    byte first_copy[EVENTS + 1], second_copy[EVENTS + 1];
    do
    :: round < ROUNDS ->
        end = written;
        d_step { start = LATER(cursor, OLDEST(end)); index = start };
        do
        :: index < end ->
            first_copy[index] = first_word[index % CAPACITY];
            second_copy[index] = second_word[index % CAPACITY];
            index++
        :: else -> break
        od;
#ifdef LOOK_ONCE
        now = end;
#else
        now = written;
#endif
        d_step {
#ifdef NO_MARGIN
            intact = LATER(start, OLDEST(now));
#else
            intact = LATER(start, OLDEST(now + 1));
#endif
            intact = (intact < end -> intact : LATER(start, end));
            lost = lost + intact - cursor;
            index = intact;
            do
            :: index < end ->
                assert(first_copy[index] == index + 1 && second_copy[index] == index + 1);
                seen++; index++
            :: else -> break
            od;
            cursor = end; round++;
            index = 0; start = 0; now = 0; intact = 0
        }
    :: else -> break
    od;
    assert(seen + lost == cursor)
}

init { atomic { run Writer(); run Reader() } }
