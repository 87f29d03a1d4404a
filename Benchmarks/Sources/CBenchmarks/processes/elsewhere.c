// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Systems on which none of this is measured.
#include "CBenchmarks.h"

#if defined(__linux__)
bool benchmarks_measures_processes(void) { return true; }
#else
#include <stdlib.h>

bool benchmarks_measures_processes(void) { return false; }
benchmarks_link *benchmarks_link_open(
    enum benchmarks_protocol protocol, const char *address, int receivers) {
    abort();
}
void benchmarks_link_close(benchmarks_link *link) { abort(); }
bool benchmarks_link_prepare(benchmarks_link *link) { abort(); }
bool benchmarks_link_round_trips(
    benchmarks_link *link, uint32_t round, int64_t count, int64_t *nanoseconds) {
    abort();
}
bool benchmarks_link_echo(benchmarks_link *link, uint32_t round, int64_t count) { abort(); }
int64_t benchmarks_link_post(benchmarks_link *link, uint32_t round, int64_t count) { abort(); }
bool benchmarks_link_post_paced(
    benchmarks_link *link, uint32_t round, int64_t count, int64_t interval) {
    abort();
}
struct benchmarks_receipt benchmarks_link_receive(
    benchmarks_link *link, uint32_t round, int64_t count, int64_t *ages) {
    abort();
}
size_t benchmarks_link_parse(
    enum benchmarks_protocol protocol, const char *bytes, size_t length, const char **payload) {
    abort();
}
size_t benchmarks_link_delivered(
    enum benchmarks_protocol protocol, const char *payload, char *bytes) {
    abort();
}
bool benchmarks_pipe(int ends[2]) { abort(); }
bool benchmarks_channel(int ends[2]) { abort(); }
pid_t benchmarks_spawn(const char *path, char *const arguments[], int control, int output) {
    abort();
}
void benchmarks_end_with(pid_t parent) { abort(); }
#endif
