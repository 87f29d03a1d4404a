// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Messages of 100 bytes between processes: over a bare stream, and through servers whose protocols
// are spoken directly, so that nobody needs a client library to build the benchmarks. On Linux
// alone.
#ifndef CBENCHMARKSPROCESSES_H
#define CBENCHMARKSPROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Whether anything of this is here.
bool benchmarks_measures_processes(void);

/// The number of bytes that a message carries.
#define BENCHMARKS_PAYLOAD 100

/// The protocol of an end of a link.
enum benchmarks_protocol {
    /// A Unix stream, with nobody between: lengths and payloads.
    BENCHMARKS_STREAM,
    BENCHMARKS_DBUS,
    /// Pub/Sub, in the third version of its protocol.
    BENCHMARKS_REDIS,
    BENCHMARKS_NATS,
};

/// One process's end: it posts to all receivers and hears their answers, or hears and answers.
typedef struct benchmarks_link benchmarks_link;

/// Connects, and waits until what it listens for is acknowledged. NULL when that does not work.
///
/// - address: the path of a Unix socket; a port of this machine for NATS. The poster of a stream
///   makes the socket.
/// - receivers: of the poster, how many there will be; 0 makes a receiver.
benchmarks_link *benchmarks_link_open(
    enum benchmarks_protocol protocol, const char *address, int receivers);
void benchmarks_link_close(benchmarks_link *link);

/// The messages of a burst that a receiver got.
struct benchmarks_receipt {
    int64_t count;
    /// When the last came.
    int64_t last;
};

/// Connects again what the server cut off. A burst is sent when all receivers have done so.
bool benchmarks_link_prepare(benchmarks_link *link);
/// Posts a message and waits for its answer, `count` times; puts down how long each took.
bool benchmarks_link_round_trips(
    benchmarks_link *link, uint32_t round, int64_t count, int64_t *nanoseconds);
/// Answers `count` messages.
bool benchmarks_link_echo(benchmarks_link *link, uint32_t round, int64_t count);
/// Posts as fast as it can, many messages with one call. Returns when it began; 0 if it failed.
int64_t benchmarks_link_post(benchmarks_link *link, uint32_t round, int64_t count);
/// Posts one message each `interval` nanoseconds, with its time in it.
bool benchmarks_link_post_paced(
    benchmarks_link *link, uint32_t round, int64_t count, int64_t interval);
/// Counts what comes of a round, until that is `count`, the server cuts it off, or nothing has come
/// for a while; puts down how old each message was, unless `ages` is NULL.
struct benchmarks_receipt benchmarks_link_receive(
    benchmarks_link *link, uint32_t round, int64_t count, int64_t *ages);

/// The number of bytes of the message that begins `bytes`; 0 when it is not whole. `payload` is set when it
/// brings one.
size_t benchmarks_link_parse(
    enum benchmarks_protocol protocol, const char *bytes, size_t length, const char **payload);
/// Puts a message as receivers get it, with `payload`, into 512 bytes. Returns its length.
size_t benchmarks_link_delivered(
    enum benchmarks_protocol protocol, const char *payload, char *bytes);

/// Makes two descriptors, neither of which a child inherits: of a pipe, what is read and what is
/// written; of a channel, its two ends.
bool benchmarks_pipe(int ends[2]);
bool benchmarks_channel(int ends[2]);
/// Starts a program in a process group of its own, which a Ctrl-C does not reach, with `control` as
/// descriptor 3 and `output` as its output, unless they are -1. Returns its process; -1 if it
/// can't.
pid_t benchmarks_spawn(const char *path, char *const arguments[], int control, int output);
/// Ends the calling process when the thread that started it ends; at once, if `parent` has.
void benchmarks_end_with(pid_t parent);

#endif
