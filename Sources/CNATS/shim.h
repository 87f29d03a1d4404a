// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#ifndef SWITCHYARD_NATS_SHIM_H
#define SWITCHYARD_NATS_SHIM_H

#include <nats/nats.h>
#include <nats/version.h>

// From 3.9.2 on, libnats leaves it to an event loop to close a socket that it no longer polls.
static inline void switchyard_nats_close_polled(natsSock *socket) {
#if NATS_VERSION_NUMBER >= 0x030902
    natsConnection_ProcessCloseEvent(socket);
#else
    (void)socket;
#endif
}

static inline void switchyard_nats_detached(natsConnection *connection) {
#if NATS_VERSION_NUMBER >= 0x030902
    natsConnection_ProcessDetachedEvent(connection);
#else
    (void)connection;
#endif
}

#endif
