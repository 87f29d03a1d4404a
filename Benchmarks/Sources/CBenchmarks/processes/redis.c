// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Redis, as its clients speak it in the third version of its protocol, in which a connection that
// listens may also publish.
#define _GNU_SOURCE
#include "wire.h"

#if defined(__linux__)
#include <stdio.h>
#include <unistd.h>

static int join_redis(const char *address, const char *channel) {
    int descriptor = wire_connect_unix(address);
    if (descriptor < 0) return -1;
    char text[256];
    // A publisher needs no answer to each message.
    int length = snprintf(
        text, sizeof text, "HELLO 3\r\nSUBSCRIBE %s\r\nCLIENT REPLY OFF\r\n", channel);
    if (!wire_send(descriptor, text, (size_t)length) || !wire_await(descriptor, "subscribe\r\n")
        || !wire_await(descriptor, ":1\r\n")) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

static void write_redis(struct frame *frame, const char *head, const char *channel) {
    char text[128];
    snprintf(
        text, sizeof text, "%s$%zu\r\n%s\r\n$%d\r\n", head, strlen(channel), channel,
        BENCHMARKS_PAYLOAD);
    frame_add(frame, text);
    frame_add_payload(frame);
    frame_add(frame, "\r\n");
}

static void post_redis(struct frame *frame, const char *channel) {
    write_redis(frame, "*3\r\n$7\r\nPUBLISH\r\n", channel);
}

static void deliver_redis(struct frame *frame, const char *channel) {
    write_redis(frame, ">3\r\n$7\r\nmessage\r\n", channel);
}

/// The number after the byte at `at`, which says what follows. Moves `at` to the next line; false
/// when the line is not whole.
static bool parse_number(const char *bytes, size_t length, size_t *at, size_t *number) {
    size_t here = *at + 1;
    *number = 0;
    for (; here < length && bytes[here] != '\r'; here++) {
        *number = *number * 10 + (size_t)(bytes[here] - '0');
    }
    *at = here + 2;
    return *at <= length;
}

static size_t parse_redis(const char *bytes, size_t length, const char **payload) {
    size_t at = 0, parts, size = 0;
    if (length == 0 || !parse_number(bytes, length, &at, &parts)) return 0;
    // Only messages come after the subscription.
    if (bytes[0] != '>') return at;
    size_t last = 0;
    for (; parts > 0; parts--) {
        if (at >= length || !parse_number(bytes, length, &at, &size)) return 0;
        last = at;
        at += size + 2;
        if (at > length) return 0;
    }
    *payload = bytes + last;
    return at;
}

const struct wire wire_redis = {
    .batch = WIRE_BATCH,
    .join = join_redis,
    .post = post_redis,
    .deliver = deliver_redis,
    .parse = parse_redis,
};
#endif
