// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#include "CSwitchyard.h"

#include <stddef.h>

// From the Swift runtime: what the compiler makes of `as?`.
bool swift_dynamicCast(
    void *room, void *value, const void *type, const void *target, size_t flags);

// The runtime's flag for targets that are `Sendable`, which the language has for types known to the
// compiler alone. Without the flags for it, the value is copied, not taken.
static const size_t prohibits_isolated_conformances = 8;

bool switchyard_cast_unisolated(
    void *room, const void *value, const void *type, const void *target)
{
    return swift_dynamicCast(
        room, (void *)value, type, target, prohibits_isolated_conformances);
}
