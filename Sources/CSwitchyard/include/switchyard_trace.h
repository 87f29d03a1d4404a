// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The needs that a trace of notifications has of the processor and the system: a fast clock, the callers of a
// function, and memory that can be given back while others still write to it.
#ifndef SWITCHYARD_TRACE_H
#define SWITCHYARD_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether the processor's counter runs at a constant rate, so that times can be made of it.
extern bool switchyard_counter_is_constant;
static inline bool switchyard_has_constant_counter(void) { return switchyard_counter_is_constant; }

/// Returns nanoseconds since the system's start, with the time it slept.
uint64_t switchyard_boot_time(void);

/// Returns the processor's counter if its rate is constant, because reading it takes a third of a
/// system call's time; otherwise nanoseconds.
static inline uint64_t switchyard_ticks_of(bool counter_is_constant) {
    if (!counter_is_constant) return switchyard_boot_time();
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return switchyard_boot_time();
#endif
}
static inline uint64_t switchyard_ticks(void) {
    return switchyard_ticks_of(switchyard_counter_is_constant);
}

/// A thread's turns to trace a post. The thread alone reads and writes them.
typedef struct {
    /// The number of posts until the next one that is traced.
    uint32_t left;
    /// The round for which `left` counts.
    uint32_t round;
} switchyard_turns;

/// The turns of a thread that has written no event: of no round.
extern switchyard_turns switchyard_no_turns;

/// The number of times that the rules changed by which threads take turns; never 0. A forked child begins
/// a round of its own.
extern uint32_t switchyard_rounds;
static inline uint32_t switchyard_trace_round(void) {
    return __atomic_load_n(&switchyard_rounds, __ATOMIC_RELAXED);
}
void switchyard_begin_trace_round(void);

/// A thread's own stack: its lowest address, and the last one at which the two words of a frame can stand.
/// Both are 0 if the system does not say.
typedef struct {
    uintptr_t first;
    uintptr_t last;
} switchyard_stack;

/// Returns the calling thread's own stack.
switchyard_stack switchyard_own_stack(void);

/// A word of the stack of which the compiler knows nothing.
typedef uintptr_t __attribute__((aligned(1), may_alias)) switchyard_stack_word;

// What reads such words must not be watched by the sanitizer that knows of the compiler's own alone.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SWITCHYARD_READS_STACK __attribute__((no_sanitize("address")))
#endif
#endif
#ifndef SWITCHYARD_READS_STACK
#define SWITCHYARD_READS_STACK
#endif

/// Finds the frame around that at `frame`, if there is one in `stack`; else goes to `none`.
#define SWITCHYARD_OUTER_FRAME(frame, stack, none)                                                  \
    do {                                                                                           \
        uintptr_t outer = ((const switchyard_stack_word *)(frame))[0];                             \
        if (outer <= (frame) || outer > (stack).last) {                                            \
            /* Swift marks the frames of async functions with a bit. */                            \
            outer &= ~((uintptr_t)1 << (sizeof(uintptr_t) * 8 - 4));                               \
            if (outer <= (frame) || outer > (stack).last) goto none;                               \
        }                                                                                          \
        (frame) = outer;                                                                           \
    } while (0)

/// Returns the frame of the function that calls this, or of one of its callers; 0 if it is not in `stack`:
/// a coroutine has another one, and nobody knows where that ends.
SWITCHYARD_READS_STACK __attribute__((always_inline)) static inline uintptr_t switchyard_frame(
    switchyard_stack stack) {
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if (frame < stack.first) return 0;
    // The frame itself would be gone if this were a function of its own.
    SWITCHYARD_OUTER_FRAME(frame, stack, none);
    return frame;
none:
    return 0;
}

/// Returns a hash of `seed`, and of what `switchyard_callers` would write; never zero.
SWITCHYARD_READS_STACK __attribute__((always_inline)) static inline uint64_t switchyard_callers_hash(
    uint64_t seed, uintptr_t frame, switchyard_stack stack, int most) {
    uint64_t hash = seed;
    if (frame == 0) return hash | 1;
    for (int left = most; left > 0; left--) {
        hash = (hash ^ ((const switchyard_stack_word *)frame)[1]) * 0x9E3779B97F4A7C15u;
        SWITCHYARD_OUTER_FRAME(frame, stack, none);
    }
none:
    return hash | 1;
}

/// Writes the return addresses of the function whose frame this is and of its callers to `frames`, the
/// innermost first, as far as the stack has frame pointers. Returns their number, at most `most`.
int switchyard_callers(uintptr_t frame, switchyard_stack stack, uintptr_t *frames, int most);

/// Returns `size` bytes of zeros in whole pages of their own; null if there is no memory.
void *switchyard_pages_allocate(size_t size);

/// Gives the memory of such pages back to the system. They can be used as before: what is read is what
/// was written since, or zero.
void switchyard_pages_empty(void *pages, size_t size);

/// The module that an address of code belongs to.
typedef struct {
    /// The file's path; null if the address belongs to none.
    const char *path;
    /// The address as it stands in that file.
    uint64_t offset;
    /// Whether the module is the program itself, whose path is here as it was called. False where that
    /// is not known.
    bool is_program;
} switchyard_code_place;

/// Returns the module that `address` belongs to.
switchyard_code_place switchyard_code_at(uintptr_t address);

#endif
