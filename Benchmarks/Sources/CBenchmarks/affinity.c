// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#define _GNU_SOURCE
#include "CBenchmarks.h"

#if defined(__linux__)
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/// The processors of the first thread before the program changed them.
static cpu_set_t allowed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void remember(void) { sched_getaffinity(0, sizeof allowed, &allowed); }

/// Sets every thread, because an affinity belongs to a thread. Threads made later inherit it.
static void set_all(const cpu_set_t *set) {
    DIR *threads = opendir("/proc/self/task");
    if (!threads) abort();
    for (struct dirent *entry; (entry = readdir(threads));) {
        int thread = atoi(entry->d_name);
        // A thread that ends meanwhile is no matter.
        if (thread > 0) sched_setaffinity(thread, sizeof *set, set);
    }
    closedir(threads);
}

void benchmarks_pin(void) { benchmarks_pin_to(0); }

void benchmarks_pin_to(int number) {
    pthread_once(&once, remember);
    cpu_set_t one;
    CPU_ZERO(&one);
    int left = number % CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && left-- == 0) {
            CPU_SET(cpu, &one);
            break;
        }
    }
    set_all(&one);
}

void benchmarks_unpin(void) {
    pthread_once(&once, remember);
    set_all(&allowed);
}
#else
// Apple's systems have no such call: there, the rows for one processor say the same as the others.
void benchmarks_pin(void) {}
void benchmarks_pin_to(int number) { (void)number; }
void benchmarks_unpin(void) {}
#endif
