// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSwitchyard.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

_Thread_local void *switchyard_thread_record SWITCHYARD_FAST_TLS = NULL;
_Thread_local void *switchyard_thread_values SWITCHYARD_FAST_TLS = NULL;

static pthread_key_t end_key;
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

// The key's value is the callback itself: not null, and all that the destructor needs.
static void thread_ended(void *callback) { ((void (*)(void))callback)(); }
static void make_end_key(void) { pthread_key_create(&end_key, thread_ended); }

void switchyard_watch_thread_end(void (*callback)(void)) {
    pthread_once(&end_key_once, make_end_key);
    pthread_setspecific(end_key, (void *)callback);
}

uint64_t switchyard_thread_id(void) {
#if defined(__linux__)
    return (uint64_t)syscall(SYS_gettid);
#else
    uint64_t id = 0;
    pthread_threadid_np(NULL, &id);
    return id;
#endif
}

void switchyard_name_current_thread(const char *name) {
#if defined(__linux__)
    // The kernel refuses a longer name; and half a character of one is none.
    char kept[16];
    size_t length = strnlen(name, sizeof kept);
    if (length == sizeof kept) {
        length = sizeof kept - 1;
        while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80) length--;
    }
    memcpy(kept, name, length);
    kept[length] = 0;
    pthread_setname_np(pthread_self(), kept);
#else
    pthread_setname_np(name);
#endif
}
