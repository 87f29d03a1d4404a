// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#define _GNU_SOURCE
#include "wire.h"

#if defined(__linux__)
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    /// The most bytes that one call reads.
    BUFFER = 256 << 10,
    /// The seconds without a message that end a burst: more than any server stops to wait for one slow
    /// reader.
    QUIET = 20,
    MOST_RECEIVERS = 64,
};

/// The beginning of every message.
struct stamp {
    int64_t time;
    uint32_t round;
    uint32_t index;
};

struct benchmarks_link {
    const struct wire *wire;
    char *address;
    /// The number of receivers of the poster; 0 for a receiver.
    int receivers;
    /// The listener for the receivers of a stream; -1 for none.
    int listener;
    /// The descriptor that the link reads from; -1 when it was cut off.
    int in;
    int outs[MOST_RECEIVERS];
    int out_count;
    /// The bytes that the link sends.
    struct frame frame;
    char *batch;
    /// The bytes that were read and not yet parsed.
    char *buffer;
    size_t begin, end;
};

static bool is_stream(const benchmarks_link *link) { return link->wire == &wire_stream; }

/// Adds a descriptor to send to; the link hears from the first.
static void add_descriptor(benchmarks_link *link, int descriptor) {
    link->outs[link->out_count++] = descriptor;
    link->in = link->outs[0];
}

static bool join(benchmarks_link *link) {
    if (is_stream(link) && link->receivers > 0) {
        link->listener = wire_listen(link->address);
        return link->listener >= 0;
    }
    int descriptor = link->wire->join(link->address, link->receivers > 0 ? "Pong" : "Ping");
    if (descriptor >= 0) add_descriptor(link, descriptor);
    return descriptor >= 0;
}

benchmarks_link *benchmarks_link_open(
    enum benchmarks_protocol protocol, const char *address, int receivers) {
    if (receivers > MOST_RECEIVERS) return NULL;
    benchmarks_link *link = calloc(1, sizeof *link);
    if (!link) abort();
    link->wire = wire_of(protocol);
    link->address = strdup(address);
    link->receivers = receivers;
    link->listener = link->in = -1;
    link->batch = malloc(WIRE_BATCH);
    link->buffer = malloc(BUFFER);
    if (!link->address || !link->batch || !link->buffer) abort();
    link->wire->post(&link->frame, receivers > 0 ? "Ping" : "Pong");
    if (join(link)) return link;
    benchmarks_link_close(link);
    return NULL;
}

void benchmarks_link_close(benchmarks_link *link) {
    for (int index = 0; index < link->out_count; index++) close(link->outs[index]);
    if (link->listener >= 0) close(link->listener);
    free(link->address);
    free(link->batch);
    free(link->buffer);
    free(link);
}

bool benchmarks_link_prepare(benchmarks_link *link) {
    if (link->listener < 0) return link->in >= 0 || join(link);
    while (link->out_count < link->receivers) {
        int descriptor = accept4(link->listener, NULL, NULL, SOCK_CLOEXEC);
        if (descriptor < 0) return false;
        add_descriptor(link, descriptor);
    }
    return link->in >= 0;
}

/// Ends the connection of a receiver, or of who posts through a server: the other side did.
static void cut(benchmarks_link *link) {
    link->in = -1;
    if (link->listener >= 0) return;
    close(link->outs[0]);
    link->out_count = 0;
    link->begin = link->end = 0;
}

/// Reads more; false when it was cut off, or there is nothing.
static bool fill(benchmarks_link *link, int flags) {
    if (link->in < 0) return false;
    size_t left = link->end - link->begin;
    if (link->begin > 0) memmove(link->buffer, link->buffer + link->begin, left);
    link->begin = 0;
    link->end = left;
    ssize_t got;
    do {
        got = recv(link->in, link->buffer + left, BUFFER - left, flags);
    } while (got < 0 && errno == EINTR);
    if (got == 0 || (got < 0 && errno != EAGAIN)) cut(link);
    if (got <= 0) return false;
    link->end += (size_t)got;
    return true;
}

/// The next message of a round that has been read; NULL when there is no other.
static inline const char *next(benchmarks_link *link, uint32_t round) {
    for (;;) {
        const char *payload = NULL, *bytes = link->buffer + link->begin;
        size_t used = link->wire->parse(bytes, link->end - link->begin, &payload);
        if (used == 0) return NULL;
        link->begin += used;
        if (!payload) {
            if (link->wire->serve) link->wire->serve(link->in, bytes);
            continue;
        }
        struct stamp stamp;
        memcpy(&stamp, payload, sizeof stamp);
        // Messages left of a round that was given up are no part of this one.
        if (stamp.round == round) return payload;
    }
}

static const char *wait_for(benchmarks_link *link, uint32_t round) {
    for (;;) {
        const char *payload = next(link, round);
        if (payload) return payload;
        if (!fill(link, 0)) return NULL;
    }
}

/// Answers what the server asked meanwhile.
static void settle(benchmarks_link *link) {
    if (!link->wire->serve) return;
    do {
        next(link, UINT32_MAX);
    } while (fill(link, MSG_DONTWAIT));
}

static inline void put(benchmarks_link *link, char *to, struct stamp stamp) {
    const struct frame *frame = &link->frame;
    memcpy(to, frame->bytes, frame->length);
    memcpy(to + frame->payload, &stamp, sizeof stamp);
    uint32_t number = stamp.index + 1;
    if (frame->number > 0) memcpy(to + frame->number, &number, sizeof number);
}

static bool send_to_all(benchmarks_link *link, size_t length) {
    for (int index = 0; index < link->out_count; index++) {
        if (!wire_send(link->outs[index], link->batch, length)) return false;
    }
    return link->out_count > 0;
}

static bool send_one(benchmarks_link *link, struct stamp stamp) {
    put(link, link->batch, stamp);
    return send_to_all(link, link->frame.length);
}

bool benchmarks_link_round_trips(
    benchmarks_link *link, uint32_t round, int64_t count, int64_t *nanoseconds) {
    for (int64_t index = 0; index < count; index++) {
        int64_t start = benchmarks_now();
        if (!send_one(link, (struct stamp){start, round, (uint32_t)index})) return false;
        if (!wait_for(link, round)) return false;
        nanoseconds[index] = benchmarks_now() - start;
    }
    return true;
}

bool benchmarks_link_echo(benchmarks_link *link, uint32_t round, int64_t count) {
    for (int64_t index = 0; index < count; index++) {
        const char *payload = wait_for(link, round);
        if (!payload) return false;
        struct stamp stamp;
        memcpy(&stamp, payload, sizeof stamp);
        if (!send_one(link, stamp)) return false;
    }
    return true;
}

int64_t benchmarks_link_post(benchmarks_link *link, uint32_t round, int64_t count) {
    settle(link);
    int64_t start = benchmarks_now();
    size_t size = link->frame.length, length = 0;
    for (int64_t index = 0; index < count; index++) {
        if (length > 0 && length + size > link->wire->batch) {
            if (!send_to_all(link, length)) return 0;
            length = 0;
        }
        put(link, link->batch + length, (struct stamp){start, round, (uint32_t)index});
        length += size;
    }
    if (!send_to_all(link, length)) return 0;
    settle(link);
    return start;
}

bool benchmarks_link_post_paced(
    benchmarks_link *link, uint32_t round, int64_t count, int64_t interval) {
    settle(link);
    int64_t start = benchmarks_now();
    for (int64_t index = 0; index < count; index++) {
        benchmarks_sleep_until(start + (index + 1) * interval);
        struct stamp stamp = {benchmarks_now(), round, (uint32_t)index};
        if (!send_one(link, stamp)) return false;
    }
    return true;
}

/// Ends reads when nothing comes for so many seconds; 0 for never, which makes trips half a
/// microsecond shorter.
static void set_quiet(benchmarks_link *link, int seconds) {
    struct timeval quiet = {.tv_sec = seconds};
    if (link->in < 0) return;
    setsockopt(link->in, SOL_SOCKET, SO_RCVTIMEO, &quiet, sizeof quiet);
}

struct benchmarks_receipt benchmarks_link_receive(
    benchmarks_link *link, uint32_t round, int64_t count, int64_t *ages) {
    struct benchmarks_receipt receipt = {0, 0};
    set_quiet(link, QUIET);
    while (receipt.count < count && fill(link, 0)) {
        const char *payload;
        int64_t before = receipt.count;
        while (receipt.count < count && (payload = next(link, round))) {
            if (ages) {
                struct stamp stamp;
                memcpy(&stamp, payload, sizeof stamp);
                ages[receipt.count] = benchmarks_now() - stamp.time;
            }
            receipt.count++;
        }
        if (receipt.count > before) receipt.last = benchmarks_now();
    }
    set_quiet(link, 0);
    return receipt;
}

size_t benchmarks_link_parse(
    enum benchmarks_protocol protocol, const char *bytes, size_t length, const char **payload) {
    return wire_of(protocol)->parse(bytes, length, payload);
}

size_t benchmarks_link_delivered(
    enum benchmarks_protocol protocol, const char *payload, char *bytes) {
    struct frame frame = {.length = 0};
    wire_of(protocol)->deliver(&frame, "Ping");
    memcpy(frame.bytes + frame.payload, payload, BENCHMARKS_PAYLOAD);
    memcpy(bytes, frame.bytes, WIRE_MOST);
    return frame.length;
}
#endif
