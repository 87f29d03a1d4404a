// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The record of a notification's name, in the file that processes share. Not for programs.
#ifndef SWITCHYARD_NOTIFY_RECORD_H
#define SWITCHYARD_NOTIFY_RECORD_H

#include <stdint.h>

/// A number that processes change while others read it. Linux does not promise that a read sees all of a
/// write or nothing of it: the reader knows a mixture of two numbers by its seal.
typedef struct {
    uint64_t value;
    /// The result of switchyard_notify_seal for the value.
    uint64_t seal;
} switchyard_notify_number;

/// The beginning of a name's file. The bytes of the name follow. Everything but the two numbers is
/// constant once the file can be found.
typedef struct {
    /// SWITCHYARD_NOTIFY_MAGIC, which tells the layout and its version.
    uint64_t magic;
    /// The number of bytes of the name.
    uint32_t name_length;
    uint32_t unused;
    /// The mark of the last post, which no other post has; 0 if there was none.
    switchyard_notify_number post;
    /// The state that programs set.
    switchyard_notify_number state;
} switchyard_notify_record;

/// The bytes "SYNOTIF2" on machines whose lowest byte comes first.
#define SWITCHYARD_NOTIFY_MAGIC 0x324649544f4e5953ULL

/// Returns a number that depends on each bit of the value (the last step of the generator splitmix64).
static inline uint64_t switchyard_notify_seal(uint64_t value) {
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

#endif
