// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Tells ThreadSanitizer of what the toolchain's libraries, which are not built for it, do to order
// threads: without it, whatever a contended lock or a semaphore guards is reported as a race. Loaded
// before the tests by scripts/thread-sanitizer; no part of any product.
//
// `Synchronization.Mutex` is taken and left by code that the compiler puts into the caller, which
// ThreadSanitizer sees; only when threads contend does it call the library, which it does not.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// In the program under test, if that was built for ThreadSanitizer.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

static void acquire(void *address) {
    if (__tsan_acquire) __tsan_acquire(address);
}

static void release(void *address) {
    if (__tsan_release) __tsan_release(address);
}

#define SELF __attribute__((swift_context)) void *self
#define SWIFT __attribute__((swiftcall))

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT void lock_slow(uint32_t thread, SELF) {
    static SWIFT void (*original)(uint32_t, SELF);
    if (!original) original = (SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK_SLOW);
    original(thread, self);
    acquire(self);
}

#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK_SLOW);
SWIFT bool try_lock_slow(SELF) {
    static SWIFT bool (*original)(SELF);
    if (!original) original = (SWIFT bool (*)(SELF))dlsym(RTLD_NEXT, TRY_LOCK_SLOW);
    bool taken = original(self);
    if (taken) acquire(self);
    return taken;
}

#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);
SWIFT void unlock_slow(SELF) {
    static SWIFT void (*original)(SELF);
    if (!original) original = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK_SLOW);
    release(self);
    original(self);
}

intptr_t dispatch_semaphore_signal(void *semaphore) {
    static intptr_t (*original)(void *);
    if (!original) original = (intptr_t (*)(void *))dlsym(RTLD_NEXT, "dispatch_semaphore_signal");
    release(semaphore);
    return original(semaphore);
}

intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    static intptr_t (*original)(void *, uint64_t);
    if (!original) {
        original = (intptr_t (*)(void *, uint64_t))dlsym(RTLD_NEXT, "dispatch_semaphore_wait");
    }
    intptr_t result = original(semaphore, timeout);
    if (result == 0) acquire(semaphore);
    return result;
}
