// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSwitchyard.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

_Thread_local void *switchyard_thread_record SWITCHYARD_FAST_TLS = NULL;
_Thread_local void *switchyard_thread_values SWITCHYARD_FAST_TLS = NULL;
_Thread_local void *switchyard_thread_drain SWITCHYARD_FAST_TLS = NULL;
_Thread_local void *switchyard_thread_backlog SWITCHYARD_FAST_TLS = NULL;
static _Thread_local bool in_dead_letter_hook = false;

bool switchyard_is_in_dead_letter_hook(void) { return in_dead_letter_hook; }
void switchyard_set_in_dead_letter_hook(bool is_in) { in_dead_letter_hook = is_in; }

static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

// The key's value is the callback itself: not null, and all that the destructor needs.
static void thread_ended(void *callback) { ((void (*)(void))callback)(); }
static void make_end_key(void) { pthread_key_create(&end_key, thread_ended); }

void switchyard_watch_thread_end(void (*callback)(void)) {
    pthread_once(&end_key_once, make_end_key);
    pthread_setspecific(end_key, (void *)callback);
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
