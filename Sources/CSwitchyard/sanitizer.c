// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#include "CSwitchyard.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER 1
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#endif
#endif

void switchyard_sanitizer_acquire(void *address) {
#ifdef HAS_THREAD_SANITIZER
    __tsan_acquire(address);
#else
    (void)address;
#endif
}

void switchyard_sanitizer_release(void *address) {
#ifdef HAS_THREAD_SANITIZER
    __tsan_release(address);
#else
    (void)address;
#endif
}
