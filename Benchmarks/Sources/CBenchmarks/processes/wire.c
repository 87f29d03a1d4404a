// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#define _GNU_SOURCE
#include "wire.h"

#if defined(__linux__)
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

const struct wire *wire_of(enum benchmarks_protocol protocol) {
    switch (protocol) {
    case BENCHMARKS_STREAM: return &wire_stream;
    case BENCHMARKS_DBUS: return &wire_dbus;
    case BENCHMARKS_REDIS: return &wire_redis;
    case BENCHMARKS_NATS: return &wire_nats;
    }
    abort();
}

bool wire_send(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(descriptor, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

bool wire_read(int descriptor, char *bytes, size_t length) {
    while (length > 0) {
        ssize_t got = recv(descriptor, bytes, length, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes += got;
        length -= (size_t)got;
    }
    return true;
}

bool wire_await(int descriptor, const char *text) {
    size_t length = strlen(text);
    char last[64] = {0};
    if (length > sizeof last) abort();
    while (memcmp(last, text, length) != 0) {
        memmove(last, last + 1, length - 1);
        if (!wire_read(descriptor, last + length - 1, 1)) return false;
    }
    return true;
}

static bool name_socket(struct sockaddr_un *address, const char *path) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path) return false;
    strcpy(address->sun_path, path);
    return true;
}

/// A socket that `call`, which is connect or bind, has succeeded with.
static int socket_with(
    int (*call)(int, const struct sockaddr *, socklen_t), int family, const void *address,
    socklen_t length) {
    int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 && call(descriptor, address, length) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

int wire_connect_unix(const char *path) {
    struct sockaddr_un address;
    if (!name_socket(&address, path)) return -1;
    return socket_with(connect, AF_UNIX, &address, sizeof address);
}

int wire_connect_port(int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr = {htonl(INADDR_LOOPBACK)},
    };
    int descriptor = socket_with(connect, AF_INET, &address, sizeof address);
    int yes = 1;
    // Each call is a batch already.
    if (descriptor >= 0) setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return descriptor;
}

int wire_listen(const char *path) {
    struct sockaddr_un address;
    if (!name_socket(&address, path)) return -1;
    int descriptor = socket_with(bind, AF_UNIX, &address, sizeof address);
    if (descriptor >= 0 && listen(descriptor, 64) != 0) abort();
    return descriptor;
}

void frame_add(struct frame *frame, const char *text) {
    size_t length = strlen(text);
    if (frame->length + length > WIRE_MOST) abort();
    memcpy(frame->bytes + frame->length, text, length);
    frame->length += length;
}

void frame_add_payload(struct frame *frame) {
    if (frame->length + BENCHMARKS_PAYLOAD > WIRE_MOST) abort();
    frame->payload = frame->length;
    memset(frame->bytes + frame->length, 'x', BENCHMARKS_PAYLOAD);
    frame->length += BENCHMARKS_PAYLOAD;
}
#endif
