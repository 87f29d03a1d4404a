// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#ifndef SWITCHYARD_GLIB_SHIM_H
#define SWITCHYARD_GLIB_SHIM_H

#include <glib.h>

// A source of a main context, with the object of Swift's that answers for it.
typedef struct {
    GSource source;
    void *owner;
} switchyard_glib_source;

// Returns a new source. GLib calls `functions` with it, which have to stay where they are.
static inline GSource *switchyard_glib_source_new(GSourceFuncs *functions, void *owner) {
    GSource *source = g_source_new(functions, sizeof(switchyard_glib_source));
    ((switchyard_glib_source *)source)->owner = owner;
    return source;
}

static inline void *switchyard_glib_source_owner(GSource *source) {
    return ((switchyard_glib_source *)source)->owner;
}

#endif
