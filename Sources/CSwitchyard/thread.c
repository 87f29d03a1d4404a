// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSwitchyard.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

_Thread_local void *switchyard_thread_record SWITCHYARD_FAST_TLS = NULL;
_Thread_local void *switchyard_thread_values SWITCHYARD_FAST_TLS = NULL;
_Thread_local void *switchyard_thread_drain SWITCHYARD_FAST_TLS = NULL;
_Thread_local void *switchyard_thread_post_queue SWITCHYARD_FAST_TLS = NULL;
_Thread_local void *switchyard_thread_hook SWITCHYARD_FAST_TLS = NULL;
_Thread_local void *switchyard_thread_outbound SWITCHYARD_FAST_TLS = NULL;
_Thread_local switchyard_turns *switchyard_thread_turns SWITCHYARD_FAST_TLS = &switchyard_no_turns;

static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

// The key's value is the callback itself: not null, and all that the destructor needs.
static void thread_ended(void *callback) { ((void (*)(void))callback)(); }
static void make_end_key(void) {
    if (pthread_key_create(&end_key, thread_ended) == 0) return;
    fputs("Switchyard: the process has used up its thread-specific keys (pthread_key_create), and Switchyard needs "
          "one to notice the end of threads; have libraries give back keys that they do not use\n", stderr);
    abort();
}

void switchyard_watch_thread_end(void (*callback)(void)) {
    pthread_once(&end_key_once, make_end_key);
    pthread_setspecific(end_key, (void *)callback);
}

static atomic_bool main_thread_has_ended = false;

static void note_end_of_main_thread(void *unused) {
    (void)unused;
    atomic_store_explicit(&main_thread_has_ended, true, memory_order_release);
}

// A thread can only have its own end noted. The main thread does it when the program is loaded, because
// nothing of Switchyard may run there before it ends.
__attribute__((constructor)) static void watch_main_thread(void) {
    static pthread_key_t key;
    if (!switchyard_is_main_thread()) return;
    if (pthread_key_create(&key, note_end_of_main_thread) == 0) pthread_setspecific(key, &key);
}

bool switchyard_main_thread_has_ended(void) {
    return atomic_load_explicit(&main_thread_has_ended, memory_order_acquire);
}

static void *do_nothing(void *nothing) { return nothing; }

int switchyard_thread_try(long stack_size) {
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0) return error;
    // A size that the system refuses is ignored, as in Foundation.
    if (stack_size > 0) pthread_attr_setstacksize(&attributes, (size_t)stack_size);
    pthread_t thread;
    error = pthread_create(&thread, &attributes, do_nothing, NULL);
    if (error == 0) pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

int switchyard_thread_start(long stack_size, void *(*body)(void *), void *context) {
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0) return error;
    pthread_attr_setstacksize(&attributes, (size_t)stack_size);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // The new thread inherits the mask, so no signal comes to it before its first instruction.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    error = pthread_create(&thread, &attributes, body, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

void switchyard_get_thread_name(char *name, int size) {
    if (pthread_getname_np(pthread_self(), name, (size_t)size) != 0) name[0] = 0;
}

void switchyard_set_thread_name(const char *name) {
#if defined(__linux__)
    char shortened[16];
    strncpy(shortened, name, sizeof shortened - 1);
    shortened[sizeof shortened - 1] = 0;
    pthread_setname_np(pthread_self(), shortened);
#else
    pthread_setname_np(name);
#endif
}

int32_t switchyard_thread_number(void) {
#if defined(__linux__)
    return (int32_t)syscall(SYS_gettid);
#else
    uint64_t number = 0;
    pthread_threadid_np(NULL, &number);
    return (int32_t)number;
#endif
}
