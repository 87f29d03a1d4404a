// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "switchyard_trace.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool switchyard_counter_is_constant = false;

static bool is_constant(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    // "Invariant TSC": the processor's manual, volume 3, 18.17.1.
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8)) != 0;
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

__attribute__((constructor)) static void look_at_counter(void) {
    switchyard_counter_is_constant = is_constant();
}

uint64_t switchyard_boot_time(void) {
    struct timespec now;
#if defined(__linux__)
    clock_gettime(CLOCK_BOOTTIME, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The calling thread's own stack: its lowest address, and the one behind its highest. Both are 0 if the
// system does not say; it is asked once.
static _Thread_local uintptr_t stack_begin = 0, stack_end = 0;
static _Thread_local bool asked_for_stack = false;

static void find_stack(void) {
    asked_for_stack = true;
#if defined(__APPLE__)
    stack_end = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
    stack_begin = stack_end - pthread_get_stacksize_np(pthread_self());
#else
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
        stack_begin = (uintptr_t)lowest;
        stack_end = stack_begin + size;
    }
    pthread_attr_destroy(&attributes);
#endif
}

// Calls `body` with each return address on the stack, from the calling function's on. These functions
// read words of the stack that the compiler knows nothing of. A caller on another stack than the
// thread's own, such as a coroutine's, has no return addresses: nobody knows where that stack ends.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define READS_STACK __attribute__((no_sanitize("address")))
#endif
#endif
#ifndef READS_STACK
#define READS_STACK
#endif
#define FOR_EACH_CALLER(most, body)                                                                \
    if (!asked_for_stack) find_stack();                                                            \
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);                                       \
    /* The highest address at which a frame's two words can stand. */                              \
    const uintptr_t last = stack_end - 2 * sizeof(uintptr_t);                                      \
    if (stack_end == 0 || frame < stack_begin || frame > last) most = 0;                           \
    for (int left = most; left > 0; left--) {                                                      \
        const uintptr_t *words = (const uintptr_t *)frame;                                         \
        const uintptr_t caller = words[1];                                                         \
        if (caller == 0) break;                                                                    \
        body;                                                                                      \
        /* Swift marks the frames of async functions with a bit. */                               \
        const uintptr_t next = words[0] & ~((uintptr_t)1 << 60);                                   \
        if (next <= frame || next > last || next % sizeof(uintptr_t) != 0) break;                  \
        frame = next;                                                                              \
    }

READS_STACK int switchyard_callers(uintptr_t *frames, int most) {
    int found = 0;
    FOR_EACH_CALLER(most, frames[found++] = caller)
    return found;
}

READS_STACK uint64_t switchyard_callers_hash(int most) {
    uint64_t hash = 1;
    FOR_EACH_CALLER(most, hash = (hash ^ caller) * 0x9E3779B97F4A7C15u)
    return hash | 1;
}

void *switchyard_pages_allocate(size_t size) {
#if defined(MAP_ANONYMOUS)
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#else
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
#endif
    return pages == MAP_FAILED ? NULL : pages;
}

void switchyard_pages_empty(void *pages, size_t size) { madvise(pages, size, MADV_DONTNEED); }

switchyard_code_place switchyard_code_at(uintptr_t address) {
    Dl_info info;
    if (dladdr((const void *)address, &info) == 0) return (switchyard_code_place){0};
    return (switchyard_code_place){
        .path = info.dli_fname,
        .offset = address - (uintptr_t)info.dli_fbase,
    };
}
