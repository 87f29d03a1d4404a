// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#define _GNU_SOURCE
#include "CBenchmarks.h"

#if defined(__linux__)
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

bool benchmarks_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0; }

bool benchmarks_channel(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
}

pid_t benchmarks_spawn(const char *path, char *const arguments[], int control, int output) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&files) || posix_spawnattr_init(&attributes)) abort();
    if (control >= 0 && posix_spawn_file_actions_adddup2(&files, control, 3)) abort();
    if (output >= 0) {
        if (posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)) abort();
        if (posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO)) abort();
    }
    // The program's parent may ignore or block signals, which a child would inherit.
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes,
        POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    pid_t child;
    int failure = posix_spawn(&child, path, &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return failure ? -1 : child;
}

void benchmarks_end_with(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
}
#endif
