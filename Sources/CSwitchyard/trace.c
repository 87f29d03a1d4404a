// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "switchyard_trace.h"

#include <dlfcn.h>
#include <pthread.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
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

// Not 0 left, which is what a thread finds whose turn has come.
switchyard_turns switchyard_no_turns = {.left = 1, .round = 0};
uint32_t switchyard_rounds = 1;

void switchyard_begin_trace_round(void) {
    // 0 is the round of threads that have written nothing.
    if (__atomic_add_fetch(&switchyard_rounds, 1, __ATOMIC_RELAXED) == 0) {
        __atomic_add_fetch(&switchyard_rounds, 1, __ATOMIC_RELAXED);
    }
}

switchyard_stack switchyard_own_stack(void) {
    uintptr_t begin = 0, end = 0;
#if defined(__APPLE__)
    end = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
    begin = end - pthread_get_stacksize_np(pthread_self());
#else
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return (switchyard_stack){0};
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
        begin = (uintptr_t)lowest;
        end = begin + size;
    }
    pthread_attr_destroy(&attributes);
#endif
    if (end == 0) return (switchyard_stack){0};
    return (switchyard_stack){.first = begin, .last = end - 2 * sizeof(uintptr_t)};
}

SWITCHYARD_READS_STACK int switchyard_callers(
    uintptr_t frame, switchyard_stack stack, uintptr_t *frames, int most) {
    int found = 0;
    if (frame == 0) return 0;
    while (found < most) {
        const uintptr_t caller = ((const switchyard_stack_word *)frame)[1];
        if (caller == 0) break;
        frames[found++] = caller;
        SWITCHYARD_OUTER_FRAME(frame, stack, none);
    }
none:
    return found;
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

// Whether a module that begins at `base` is the program itself.
static bool is_program(const void *base) {
#if defined(__linux__)
    Dl_info info;
    const void *headers = (const void *)getauxval(AT_PHDR);
    return headers && dladdr(headers, &info) != 0 && info.dli_fbase == base;
#else
    return false;
#endif
}

switchyard_code_place switchyard_code_at(uintptr_t address) {
    Dl_info info;
    if (dladdr((const void *)address, &info) == 0) return (switchyard_code_place){0};
    return (switchyard_code_place){
        .path = info.dli_fname,
        .offset = address - (uintptr_t)info.dli_fbase,
        .is_program = is_program(info.dli_fbase),
    };
}
