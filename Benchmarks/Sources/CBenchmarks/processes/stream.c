// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The limit: a length, then so many bytes.
#include "wire.h"

#if defined(__linux__)
static int join_stream(const char *address, const char *channel) {
    (void)channel;
    return wire_connect_unix(address);
}

static void write_stream(struct frame *frame, const char *channel) {
    (void)channel;
    uint32_t length = BENCHMARKS_PAYLOAD;
    memcpy(frame->bytes, &length, sizeof length);
    frame->length = sizeof length;
    frame_add_payload(frame);
}

static size_t parse_stream(const char *bytes, size_t length, const char **payload) {
    uint32_t size;
    if (length < sizeof size) return 0;
    memcpy(&size, bytes, sizeof size);
    if (length < sizeof size + size) return 0;
    *payload = bytes + sizeof size;
    return sizeof size + size;
}

const struct wire wire_stream = {
    .batch = WIRE_BATCH,
    .join = join_stream,
    .post = write_stream,
    .deliver = write_stream,
    .parse = parse_stream,
};
#endif
