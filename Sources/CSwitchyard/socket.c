// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "switchyard_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#endif

#if !defined(MSG_NOSIGNAL)
#define MSG_NOSIGNAL 0
#endif

/// Writes the address of `name`. On Linux, a path that is too long is replaced by one through the
/// folder's descriptor.
static int make_address(
    struct sockaddr_un *address, int folder, const char *folder_path, const char *name) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    size_t room = sizeof address->sun_path;
    int length = snprintf(address->sun_path, room, "%s/%s", folder_path, name);
    if (length > 0 && (size_t)length < room) return 0;
#if defined(__linux__)
    length = snprintf(address->sun_path, room, "/proc/self/fd/%d/%s", folder, name);
    if (length > 0 && (size_t)length < room) return 0;
#else
    (void)folder;
#endif
    return -ENAMETOOLONG;
}

/// Makes a descriptor non-blocking, and closed on exec. Linux sets both at creation.
static int prepare(int socket) {
#if !defined(__linux__)
    int flags = fcntl(socket, F_GETFL);
    fcntl(socket, F_SETFL, flags | O_NONBLOCK);
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    return socket;
}

static int make_socket(void) {
#if defined(__linux__)
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
#else
    int made = socket(AF_UNIX, SOCK_STREAM, 0);
#endif
    return made < 0 ? -errno : prepare(made);
}

static int closing(int socket, int error) {
    close(socket);
    return -error;
}

int switchyard_socket_listen(int folder, const char *folder_path, const char *name) {
    struct sockaddr_un address;
    int error = make_address(&address, folder, folder_path, name);
    if (error) return error;
    int listener = make_socket();
    if (listener < 0) return listener;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0)
        return closing(listener, errno);
    // The process's umask may have taken away rights that other processes of its user need to
    // connect.
    if (chmod(address.sun_path, 0600) != 0) return closing(listener, errno);
    // The queue is longer than the number of processes that could ever start at once; the system
    // has its own limit.
    if (listen(listener, 4096) != 0) return closing(listener, errno);
    return listener;
}

int switchyard_socket_connect(int folder, const char *folder_path, const char *name) {
    struct sockaddr_un address;
    int error = make_address(&address, folder, folder_path, name);
    if (error) return error;
    int connection = make_socket();
    if (connection < 0) return connection;
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0)
        return closing(connection, errno);
    return connection;
}

int switchyard_socket_accept(int listener) {
#if defined(__linux__)
    int connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    int connection = accept(listener, NULL, NULL);
#endif
    return connection < 0 ? -errno : prepare(connection);
}

int switchyard_socket_pair(int ends[2]) {
#if defined(__linux__)
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
        return -errno;
#else
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -errno;
    prepare(ends[0]);
    prepare(ends[1]);
#endif
    return 0;
}

int switchyard_socket_peer(int socket, uint32_t *user, int32_t *process) {
#if defined(__linux__)
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -errno;
    *user = credentials.uid;
    *process = credentials.pid;
#else
    uid_t uid;
    gid_t gid;
    if (getpeereid(socket, &uid, &gid) != 0) return -errno;
    pid_t pid = 0;
    socklen_t size = sizeof pid;
    if (getsockopt(socket, SOL_LOCAL, LOCAL_PEERPID, &pid, &size) != 0) return -errno;
    *user = uid;
    *process = pid;
#endif
    return 0;
}

ssize_t switchyard_socket_send(int socket, const void *bytes, size_t count) {
    ssize_t sent;
    do {
        sent = send(socket, bytes, count, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

void switchyard_socket_make_room(int socket, size_t count) {
    int size = 0;
    socklen_t length = sizeof size;
    if (getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, &length) != 0) return;
    // Linux doubles the value that is set, after limiting it to net.core.wmem_max.
    size += count < (1 << 24) ? (int)count : 1 << 24;
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

int switchyard_socket_held(int socket) {
    int held = 0;
#if defined(SO_NWRITE)
    socklen_t length = sizeof held;
    int error = getsockopt(socket, SOL_SOCKET, SO_NWRITE, &held, &length);
#else
    int error = ioctl(socket, SIOCOUTQ, &held);
#endif
    return error == 0 ? held : 0;
}

bool switchyard_socket_has_room(int socket, size_t count) {
    int held = switchyard_socket_held(socket), size = 0;
    if (held == 0) return true;
    socklen_t length = sizeof size;
    if (getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, &length) != 0) return true;
    // A part of the buffer is for the system's own records of what it holds.
    size_t most = (size_t)size / 3 * 2;
    return (size_t)held <= most && count <= most - (size_t)held;
}

ssize_t switchyard_socket_receive(int socket, void *bytes, size_t count) {
    ssize_t received;
    do {
        received = recv(socket, bytes, count, 0);
    } while (received < 0 && errno == EINTR);
    return received < 0 ? -errno : received;
}

void switchyard_block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    // The signals for this thread's own faults stay unblocked.
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGTRAP);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGABRT);
    // Set, not added: the thread may have been started with all signals blocked.
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

void switchyard_sleep_precisely(void) {
#if defined(__linux__)
    prctl(PR_SET_TIMERSLACK, 1);
#endif
}

uint64_t switchyard_rests(void) {
#if defined(__linux__)
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_nvcsw ^ (uint64_t)(uintptr_t)pthread_self() << 16;
#else
    // This system tells no rests: every pause counts as one.
    return switchyard_now();
#endif
}

uint64_t switchyard_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
