// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The record of a notification's name, which processes share in memory. Not for programs.
#ifndef SWITCHYARD_NOTIFY_RECORD_H
#define SWITCHYARD_NOTIFY_RECORD_H

#include <stdint.h>

/// The beginning of a name's file. The bytes of the name follow. Processes change `count` and `state`
/// with atomic operations alone; everything else is constant once the file can be found.
typedef struct {
    /// SWITCHYARD_NOTIFY_MAGIC, which tells the layout and its version.
    uint64_t magic;
    /// The number of posts.
    uint64_t count;
    /// The state that programs set.
    uint64_t state;
    /// The number of bytes of the name.
    uint32_t name_length;
    /// Each post writes zeros here, with a call of the system, which tells those who watch the file.
    uint32_t wake;
} switchyard_notify_record;

/// The bytes "SYNOTIF1" on machines whose lowest byte comes first.
#define SWITCHYARD_NOTIFY_MAGIC 0x314649544f4e5953ULL

static inline uint64_t switchyard_notify_count(const switchyard_notify_record *record) {
    return __atomic_load_n(&record->count, __ATOMIC_ACQUIRE);
}

static inline void switchyard_notify_add(switchyard_notify_record *record) {
    __atomic_add_fetch(&record->count, 1, __ATOMIC_ACQ_REL);
}

static inline uint64_t switchyard_notify_state(const switchyard_notify_record *record) {
    return __atomic_load_n(&record->state, __ATOMIC_ACQUIRE);
}

static inline void switchyard_notify_set(switchyard_notify_record *record, uint64_t state) {
    __atomic_store_n(&record->state, state, __ATOMIC_RELEASE);
}

#endif
