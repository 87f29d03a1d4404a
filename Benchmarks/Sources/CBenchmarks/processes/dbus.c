// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// D-Bus, as its clients speak it: signals with an array of bytes, in this machine's byte order.
#define _GNU_SOURCE
#include "wire.h"

#if defined(__linux__)
#include <stdio.h>
#include <unistd.h>

enum { METHOD_CALL = 1, METHOD_RETURN = 2, ERROR = 3, SIGNAL = 4 };
enum { NO_REPLY_EXPECTED = 1 };
enum { PATH = 1, INTERFACE = 2, MEMBER = 3, DESTINATION = 6, SIGNATURE = 8 };
enum { BODY_AT = 4, SERIAL_AT = 8, FIELDS_AT = 12, FIXED = 16 };

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static const char byte_order = 'l';
#else
static const char byte_order = 'B';
#endif

static uint32_t number_at(const char *bytes, size_t at) {
    uint32_t number;
    memcpy(&number, bytes + at, sizeof number);
    return number;
}

static void put_number(struct frame *frame, size_t at, size_t value) {
    uint32_t number = (uint32_t)value;
    memcpy(frame->bytes + at, &number, sizeof number);
}

static size_t aligned(size_t at, size_t to) { return (at + to - 1) / to * to; }

static void add_string(struct frame *frame, const char *text) {
    frame->length = aligned(frame->length, 4) + 4;
    put_number(frame, frame->length - 4, strlen(text));
    frame_add(frame, text);
    frame->length++;
}

static void add_field(struct frame *frame, char code, char type, const char *text) {
    frame->length = aligned(frame->length, 8);
    const char head[] = {code, 1, type, 0};
    memcpy(frame->bytes + frame->length, head, sizeof head);
    frame->length += sizeof head;
    if (type != 'g') return add_string(frame, text);
    frame->bytes[frame->length++] = (char)strlen(text);
    frame_add(frame, text);
    frame->length++;
}

static void begin(struct frame *frame, char type, char flags) {
    *frame = (struct frame){.bytes = {byte_order, type, flags, 1}, .length = FIXED};
    put_number(frame, SERIAL_AT, 1);
}

/// Ends the header, in which `signature` is the last field, if the body has one.
static void begin_body(struct frame *frame, const char *signature) {
    if (signature) add_field(frame, SIGNATURE, 'g', signature);
    put_number(frame, FIELDS_AT, frame->length - FIXED);
    frame->length = aligned(frame->length, 8);
}

/// Calls a method of the bus itself, and waits for its answer.
static bool call(int descriptor, const char *member, const char *argument) {
    struct frame frame;
    begin(&frame, METHOD_CALL, 0);
    add_field(&frame, PATH, 'o', "/org/freedesktop/DBus");
    add_field(&frame, INTERFACE, 's', "org.freedesktop.DBus");
    add_field(&frame, MEMBER, 's', member);
    add_field(&frame, DESTINATION, 's', "org.freedesktop.DBus");
    begin_body(&frame, argument ? "s" : NULL);
    size_t body = frame.length;
    if (argument) add_string(&frame, argument);
    put_number(&frame, BODY_AT, frame.length - body);
    if (!wire_send(descriptor, frame.bytes, frame.length)) return false;
    for (;;) {
        char head[FIXED], rest[4096];
        if (!wire_read(descriptor, head, sizeof head)) return false;
        size_t more = aligned(number_at(head, FIELDS_AT), 8) + number_at(head, BODY_AT);
        if (more > sizeof rest || !wire_read(descriptor, rest, more)) return false;
        if (head[1] == METHOD_RETURN) return true;
        if (head[1] == ERROR) return false;
    }
}

static bool authenticate(int descriptor) {
    // The user's number, in decimal digits, each of them in hexadecimal.
    char user[16], text[64] = "AUTH EXTERNAL ";
    snprintf(user, sizeof user, "%u", (unsigned)getuid());
    for (const char *digit = user; *digit; digit++) {
        snprintf(text + strlen(text), 3, "%02x", (unsigned char)*digit);
    }
    strcat(text, "\r\n");
    return wire_send(descriptor, "", 1) && wire_send(descriptor, text, strlen(text))
        && wire_await(descriptor, "OK ") && wire_await(descriptor, "\r\n")
        && wire_send(descriptor, "BEGIN\r\n", 7);
}

static int join_dbus(const char *address, const char *channel) {
    int descriptor = wire_connect_unix(address);
    if (descriptor < 0) return -1;
    char rule[128];
    snprintf(
        rule, sizeof rule, "type='signal',interface='switchyard.Benchmarks',member='%s'", channel);
    if (!authenticate(descriptor) || !call(descriptor, "Hello", NULL)
        || !call(descriptor, "AddMatch", rule)) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

static void post_dbus(struct frame *frame, const char *channel) {
    begin(frame, SIGNAL, NO_REPLY_EXPECTED);
    add_field(frame, PATH, 'o', "/");
    add_field(frame, INTERFACE, 's', "switchyard.Benchmarks");
    add_field(frame, MEMBER, 's', channel);
    begin_body(frame, "ay");
    put_number(frame, BODY_AT, 4 + BENCHMARKS_PAYLOAD);
    put_number(frame, frame->length, BENCHMARKS_PAYLOAD);
    frame->length += 4;
    frame_add_payload(frame);
    frame->number = SERIAL_AT;
}

static size_t parse_dbus(const char *bytes, size_t length, const char **payload) {
    if (length < FIXED) return 0;
    size_t body = number_at(bytes, BODY_AT);
    size_t head = FIXED + aligned(number_at(bytes, FIELDS_AT), 8);
    if (length < head + body) return 0;
    // The bus has signals of its own, with shorter bodies.
    if (bytes[1] == SIGNAL && body == 4 + BENCHMARKS_PAYLOAD) *payload = bytes + head + 4;
    return head + body;
}

// One message with each call, as its libraries do: with more, the daemon gets through fewer to many
// receivers. The bus adds the sender's name to what it delivers; where the payload stands, the header
// says.
const struct wire wire_dbus = {
    .batch = 1,
    .join = join_dbus,
    .post = post_dbus,
    .deliver = post_dbus,
    .parse = parse_dbus,
};
#endif
