// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#ifndef SWITCHYARD_NATS_SHIM_H
#define SWITCHYARD_NATS_SHIM_H

#include <dlfcn.h>
#include <nats/nats.h>
#include <nats/version.h>
#include <stddef.h>
#include <stdint.h>

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

// Has OpenSSL, which libnats links, keep its memory when the process exits. Otherwise a handler of
// OpenSSL's frees that memory while other threads read, connect or end a connection. Without effect
// where the program has used OpenSSL before, or libnats has no OpenSSL.
static inline void switchyard_nats_keep_openssl(void) {
#if defined(RTLD_DEFAULT)
    void *all = RTLD_DEFAULT;
#else
    // The value of glibc, whose header defines the name behind _GNU_SOURCE alone.
    void *all = NULL;
#endif
    int (*initialize)(uint64_t, const void *) =
        (int (*)(uint64_t, const void *))dlsym(all, "OPENSSL_init_crypto");
    // The number is that of OPENSSL_INIT_NO_ATEXIT, which stays as it is in all versions from 1.1.1 on.
    if (initialize) initialize(0x00080000, NULL);
}

#endif
