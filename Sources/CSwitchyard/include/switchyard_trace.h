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

/// Returns nanoseconds since the system's start, with the time it slept.
uint64_t switchyard_boot_time(void);

/// Returns the processor's counter if its rate is constant, because reading it takes a third of a
/// system call's time; otherwise nanoseconds.
static inline uint64_t switchyard_ticks(void) {
    if (!switchyard_counter_is_constant) return switchyard_boot_time();
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

/// Returns a hash of what `switchyard_callers` would write for the same caller and `most`; never zero.
uint64_t switchyard_callers_hash(int most);

/// Writes the return addresses of the calling function and its callers to `frames`, the innermost
/// first, as far as the stack has frame pointers. Returns their number, at most `most`.
int switchyard_callers(uintptr_t *frames, int most);

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
} switchyard_code_place;

/// Returns the module that `address` belongs to.
switchyard_code_place switchyard_code_at(uintptr_t address);

#endif
