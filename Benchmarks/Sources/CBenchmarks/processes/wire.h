// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The writing and reading of a message in each protocol.
#ifndef WIRE_H
#define WIRE_H

#include "CBenchmarks.h"

#include <string.h>

#define WIRE_MOST 512

/// A message that was written once: only its payload changes, and its number where it has one.
struct frame {
    char bytes[WIRE_MOST];
    size_t length;
    size_t payload;
    /// The place of a number of four bytes; 0 for none.
    size_t number;
};

enum {
    /// The most bytes that one call writes.
    WIRE_BATCH = 64 << 10,
};

struct wire {
    /// The bytes that one call writes in a burst: the number that serves the protocol best.
    size_t batch;
    /// Connects to `address`, listens to the channel, and waits until that is acknowledged. Returns
    /// the descriptor; -1 when it does not work.
    int (*join)(const char *address, const char *channel);
    /// Writes a message to a channel, as who posts it writes it.
    void (*post)(struct frame *frame, const char *channel);
    /// The beginning of a message as receivers get it.
    void (*deliver)(struct frame *frame, const char *channel);
    /// See `benchmarks_link_parse`.
    size_t (*parse)(const char *bytes, size_t length, const char **payload);
    /// Does what a message without payload asks for; NULL if none does.
    bool (*serve)(int descriptor, const char *bytes);
};

extern const struct wire wire_stream, wire_dbus, wire_redis, wire_nats;

/// The wire of a protocol.
const struct wire *wire_of(enum benchmarks_protocol protocol);

/// Sends all of it. Returns whether that worked.
bool wire_send(int descriptor, const char *bytes, size_t length);
/// Receives exactly so much.
bool wire_read(int descriptor, char *bytes, size_t length);
/// Receives up to the end of `text`, and no byte more.
bool wire_await(int descriptor, const char *text);
int wire_connect_unix(const char *path);
int wire_connect_port(int port);
/// Listens at a new socket.
int wire_listen(const char *path);

/// Adds text, or the room for a payload.
void frame_add(struct frame *frame, const char *text);
void frame_add_payload(struct frame *frame);

#endif
