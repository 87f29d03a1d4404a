// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The heavy half of an asymmetric fence. Posting threads pay for the light half only. A thread that
// must know what they are doing makes the kernel run a barrier on every core that runs them.
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSwitchyard.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
enum { GLOBAL = 1 << 0, PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };
static long membarrier(int command) {
#if defined(SYS_membarrier)
    return syscall(SYS_membarrier, command, 0, 0);
#else
    (void)command;
    return -1;
#endif
}
#endif

#if defined(__x86_64__)
// The fence for systems without membarrier (other systems, strict sandboxes). Write access is taken
// from a page that was just written: the kernel then interrupts every core that runs this process,
// and the interrupt is a full barrier. There is one page, for one thread at a time. Not on ARM,
// whose cores need no interrupt for such a change.
static pthread_mutex_t page_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile char *page;

static void fence_by_page(void) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    pthread_mutex_lock(&page_lock);
    if (page == NULL) {
        void *fresh =
            mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
        if (fresh == MAP_FAILED) abort();
        page = fresh;
    }
    if (mprotect((void *)page, size, PROT_READ | PROT_WRITE) != 0) abort();
    *page = 1;
    if (mprotect((void *)page, size, PROT_READ) != 0) abort();
    pthread_mutex_unlock(&page_lock);
}
#endif

static pthread_once_t registered = PTHREAD_ONCE_INIT;
static int has_membarrier = 0;

static void register_membarrier(void) {
#if defined(__linux__)
    has_membarrier = membarrier(REGISTER_PRIVATE_EXPEDITED) == 0;
#endif
}

void switchyard_heavy_fence(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#if defined(SWITCHYARD_ASYMMETRIC_FENCE)
    pthread_once(&registered, register_membarrier);
#if defined(__linux__)
    if (has_membarrier && membarrier(PRIVATE_EXPEDITED) == 0) return;
    // Older kernels have only this barrier, which is slow.
    if (membarrier(GLOBAL) == 0) return;
#endif
#if defined(__x86_64__)
    fence_by_page();
#else
    fputs("switchyard: this kernel has no membarrier, without which removing observers is not safe "
          "here; use Linux 4.3 or later, and a sandbox that allows the call\n", stderr);
    abort();
#endif
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
