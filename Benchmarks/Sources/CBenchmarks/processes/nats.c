// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// NATS, as its clients speak it: lines, and after some of them a payload.
#define _GNU_SOURCE
#include "wire.h"

#if defined(__linux__)
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int join_nats(const char *address, const char *channel) {
    int descriptor = wire_connect_port(atoi(address));
    if (descriptor < 0) return -1;
    char text[256];
    int length = snprintf(
        text, sizeof text,
        "CONNECT {\"verbose\":false,\"pedantic\":false,\"echo\":false,\"lang\":\"c\","
        "\"version\":\"0\",\"protocol\":1}\r\nSUB %s 1\r\nPING\r\n",
        channel);
    if (!wire_send(descriptor, text, (size_t)length) || !wire_await(descriptor, "PONG\r\n")) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

static void post_nats(struct frame *frame, const char *channel) {
    char text[64];
    snprintf(text, sizeof text, "PUB %s %d\r\n", channel, BENCHMARKS_PAYLOAD);
    frame_add(frame, text);
    frame_add_payload(frame);
    frame_add(frame, "\r\n");
}

static void deliver_nats(struct frame *frame, const char *channel) {
    char text[64];
    snprintf(text, sizeof text, "MSG %s 1 %d\r\n", channel, BENCHMARKS_PAYLOAD);
    frame_add(frame, text);
    frame_add_payload(frame);
    frame_add(frame, "\r\n");
}

static size_t parse_nats(const char *bytes, size_t length, const char **payload) {
    const char *end = memchr(bytes, '\n', length);
    if (!end) return 0;
    size_t line = (size_t)(end + 1 - bytes);
    if (line < 4 || memcmp(bytes, "MSG ", 4) != 0) return line;
    // The size is the last word of the line.
    const char *digits = end - 1;
    while (digits[-1] != ' ') digits--;
    size_t size = 0;
    for (; digits < end - 1; digits++) size = size * 10 + (size_t)(*digits - '0');
    if (length < line + size + 2) return 0;
    *payload = bytes + line;
    return line + size + 2;
}

static bool serve_nats(int descriptor, const char *bytes) {
    return bytes[0] != 'P' || bytes[1] != 'I' || wire_send(descriptor, "PONG\r\n", 6);
}

const struct wire wire_nats = {
    .batch = WIRE_BATCH,
    .join = join_nats,
    .post = post_nats,
    .deliver = deliver_nats,
    .parse = parse_nats,
    .serve = serve_nats,
};
#endif
