/* Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE. */

/* Pauses of one observation on a mailbox: deliveries of posts that are made during a pause are kept. The end of the
 * pause queues a turn, which makes the kept deliveries in the order of posting, or drops them.
 *
 *   PausedDeliveries.swift       begin, end, keep        pause, resume, keep
 *                                begin(drops:), next     begin_turn, next
 *   MailEntry+Deliver.swift      deliver                 take
 *
 * One thread posts, one pauses and resumes, and the target's thread drains the mailbox. A handler may pause, resume, and
 * run a drain of its own. Each step under the lock of `PausedDeliveries` or the mailbox is one step here.
 */

#ifndef POSTS
#define POSTS 3
#endif
#ifndef PAUSES
#define PAUSES 2
#endif
#define RESUME 0

/* States that are wrong bear their name in a variable, so that the checker's message has it. */
#define forbid(name, condition) name = (condition); assert(!name)
bool later_overtakes, lost, stays_paused, drops_later_ones, drops_what_a_turn_makes, comes_inside_a_catching_up_handler;

/* An entry of the mailbox: a message's number, or RESUME for the end of a pause. For RESUME, too: whether the kept
 * deliveries are dropped, and the last message that was posted before it. */
chan mail = [POSTS + PAUSES + 1] of { byte, bool, byte };
byte posted;

/* The state of PausedDeliveries, and the observation's mark. */
byte pauses, turns, promised;
bool is_served, is_paused;
chan kept = [POSTS] of { byte };

byte last, delivered, dropped;
/* The last message that a turn under way makes, unless another pause breaks it off. */
byte made;
bool is_catching_up;
byte active_threads = 2;
/* The drains that have ended, by their depth. */
chan drained = [1] of { byte };
bool handler_has_paused, handler_has_drained;

inline pause() { atomic { pauses++; is_paused = true } }

inline resume(drops) {
    atomic {
        if :: pauses > 0 -> pauses-- :: else fi;
        is_due = (pauses == 0 && is_paused);
        if :: is_due -> turns++ :: else fi
    };
    if
    :: is_due -> atomic { mail!RESUME, drops, posted; is_due = false }
    :: else
    fi
}

proctype Poster() {
    do
    :: atomic { posted < POSTS -> posted++; mail!posted, false, 0 }
    :: posted == POSTS -> break
    od;
    active_threads--
}

proctype Controller() {
    bool is_due;
    byte round;
    do
    :: round < PAUSES ->
        pause();
        /* A pause in a pause. */
        if :: true -> pause(); resume(false) :: true fi;
        if :: true -> resume(false) :: true -> resume(true) fi;
        round++
    :: else -> break
    od;
    active_threads--
}

inline call_handler(m) {
    d_step {
        forbid(later_overtakes, m <= last);
        forbid(comes_inside_a_catching_up_handler, depth == 1 && is_catching_up);
        last = m;
        delivered++
    };
    if
    :: atomic { !handler_has_paused -> handler_has_paused = true };
        pause();
        if :: true -> resume(false) :: true -> resume(true) fi
    :: atomic { !handler_has_drained && depth == 0 -> handler_has_drained = true };
        run Drain(1);
        drained?1
    :: true
    fi
}

inline keep(m) {
    atomic {
        if
        :: is_paused -> kept!m; m = 0
        :: else
        fi
    }
}

inline begin_turn(drops, before) {
    if
    :: drops ->
        d_step {
            /* Drops the kept messages behind those that a turn under way makes. */
            n = len(kept);
            i = 0;
            do
            :: i < n ->
                kept?m;
                if
#ifdef DROP_PROMISED
                :: false
#else
                :: i < promised -> kept!m
#endif
                :: else ->
                    dropped++;
                    forbid(drops_later_ones, m > before);
                    forbid(drops_what_a_turn_makes, m <= made)
                fi;
                i++
            :: else -> break
            od;
            m = 0; n = 0; i = 0
        }
    :: else
    fi;
    d_step {
        if
        :: !drops ->
            promised = len(kept);
            i = 0;
            /* Finds the last kept message. Each is taken out and put back, so that the order stays. */
            do
            :: i < promised -> kept?made; kept!made; i++
            :: else -> break
            od;
            i = 0
        :: else
        fi;
#ifdef TWO_SERVERS
        serves = true;
#else
        serves = !is_served;
#endif
        if
        :: serves -> is_served = true
        :: else -> turns--
        fi
    }
}

inline next() {
    d_step {
        if
        :: pauses == 0 && len(kept) > 0 ->
            kept?m;
            if :: promised > 0 -> promised-- :: else fi
        :: else ->
            m = 0;
            is_served = false;
            promised = 0;
            made = 0;
            if :: turns > 0 -> turns-- :: else fi;
            if :: pauses == 0 && turns == 0 -> is_paused = false :: else fi
        fi
    }
}

proctype Drain(byte depth) {
    byte m, before, n, i, budget;
    bool drops, serves, is_due, saw_pause;
    budget = len(mail);
    do
    :: depth > 0 && budget == 0 -> break
    :: (depth == 0 || budget > 0) && len(mail) > 0 ->
        mail?m, drops, before;
        if :: budget > 0 -> budget-- :: else fi;
        if
        :: m != RESUME ->
            /* The mark is read without the lock. */
#ifdef OPEN_BEFORE_THE_TURN
            saw_pause = (pauses > 0);
#else
            saw_pause = is_paused;
#endif
            if :: saw_pause -> keep(m) :: else fi;
            if :: m != 0 -> call_handler(m) :: else fi;
            m = 0
        :: else ->
            begin_turn(drops, before);
            do
            :: serves ->
                next();
                if
                :: m != 0 ->
                    d_step { if :: depth == 0 -> is_catching_up = true :: else fi };
                    call_handler(m);
                    d_step { if :: depth == 0 -> is_catching_up = false :: else fi }
                :: else -> serves = false
                fi
            :: else -> break
            od
        fi
    :: depth > 0 && len(mail) == 0 -> break
    :: depth == 0 && len(mail) == 0 && active_threads == 0 -> break
    od;
    if
    :: depth == 0 ->
        forbid(lost, delivered + dropped != POSTS);
        forbid(stays_paused, is_paused)
    :: else -> drained!depth
    fi
}

init {
    atomic { run Poster(); run Controller(); run Drain(0) }
}
