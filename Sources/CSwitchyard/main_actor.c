// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSwitchyard.h"

#include <pthread.h>
#include <stddef.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <dlfcn.h>
#endif

bool switchyard_is_main_thread(void) {
#if defined(__linux__)
    // The answer is kept for each thread, because asking is a system call.
    static _Thread_local enum { UNKNOWN, MAIN, OTHER } kind = UNKNOWN;
    if (kind == UNKNOWN) kind = (pid_t)syscall(SYS_gettid) == getpid() ? MAIN : OTHER;
    return kind == MAIN;
#else
    return pthread_main_np() != 0;
#endif
}

// Defined by the module Switchyard; null in a program that does not link it.
#if defined(__linux__)
extern void *switchyard_make_main_target(void) __attribute__((weak));
#endif

void *switchyard_main_target(void) {
#if defined(__linux__)
    return switchyard_make_main_target ? switchyard_make_main_target() : NULL;
#else
    void *(*make)(void) = (void *(*)(void))dlsym(RTLD_DEFAULT, "switchyard_make_main_target");
    return make ? make() : NULL;
#endif
}
