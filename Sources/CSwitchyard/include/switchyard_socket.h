// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Unix sockets, folders and pollers, for the mesh between processes. The differences between
// systems stand in socket.c, folder.c and poller_*.c. Calls that fail return -errno.
#ifndef SWITCHYARD_SOCKET_H
#define SWITCHYARD_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Creates a socket that is bound to `name` in the folder, and listens. If the path is too long for
/// an address, the address goes through `folder`, an open descriptor of the same folder.
int switchyard_socket_listen(int folder, const char *folder_path, const char *name);
/// Creates a non-blocking socket that is connected to `name` in the folder. Connecting does not
/// block either.
int switchyard_socket_connect(int folder, const char *folder_path, const char *name);
/// Accepts the next waiting connection as a non-blocking socket.
int switchyard_socket_accept(int listener);
/// Creates a connection inside this process, with two non-blocking ends.
int switchyard_socket_pair(int ends[2]);
/// Gets the user and process at the other end from the kernel. Returns zero, or -errno.
int switchyard_socket_peer(int socket, uint32_t *user, int32_t *process);
/// Sends as send(2) does, without a signal if the other end is gone.
ssize_t switchyard_socket_send(int socket, const void *bytes, size_t count);
/// Lets the system buffer `count` more bytes for the other end, as far as its limits allow: for a
/// last frame to a process that does not read.
void switchyard_socket_make_room(int socket, size_t count);
/// The number of bytes that were written, and that the system holds until the other end has them;
/// zero if it does not say.
int switchyard_socket_held(int socket);
/// Whether `count` bytes can be written without waiting for the other end, by a careful estimate.
/// True also if the system holds nothing that was written before, however many bytes it takes: for
/// those, there is no better moment.
bool switchyard_socket_has_room(int socket, size_t count);
/// Receives as recv(2) does.
ssize_t switchyard_socket_receive(int socket, void *bytes, size_t count);

/// Opens a folder, which must not be a symbolic link. Makes it if it is missing, for its user
/// alone. Returns a descriptor, and sets the owner and mode of the opened folder.
int switchyard_folder_open(const char *path, uint32_t *owner, uint32_t *mode);
/// Returns whether `path` is a folder that belongs to this user.
bool switchyard_folder_is_own(const char *path);
/// Returns the number of seconds since a file's status changed: since it was made, renamed, or had
/// its mode set. -errno if there is no such file.
int64_t switchyard_file_age(int folder, const char *name);

/// The identity of a file, whatever its names.
typedef struct {
    uint64_t device;
    uint64_t number;
} switchyard_file;

/// Gets the identity of the file at `path`; of a link, not of its target. Returns zero, or -errno.
int switchyard_file_at(const char *path, switchyard_file *file);

/// Creates a non-blocking descriptor that becomes readable when a watched file or folder is removed
/// or moved. -ENOSYS if the system has no such thing.
int switchyard_watch_create(void);
/// Watches the socket `path`: whether it is removed or moved, or its attributes change. Cheap to
/// repeat. Returns zero, or -errno.
int switchyard_watch_add_socket(int watch, const char *path);
/// Watches whether the folder `path` itself is removed or moved; changes of its entries are no
/// events. Cheap to repeat. Returns zero, or -errno.
int switchyard_watch_add_folder(int watch, const char *path);
/// Watches for entries that are removed from the folder `path`. Returns zero, or -errno.
int switchyard_watch_add_removals(int watch, const char *path);
/// Reads all events, so that the watch is no longer readable.
void switchyard_watch_clear(int watch);

/// An event at a watched descriptor.
typedef struct {
    uint64_t token;
    bool is_readable;
    bool is_writable;
} switchyard_event;

/// Creates a poller, which waits for many descriptors. The cost of a wait does not grow with their
/// number.
int switchyard_poller_create(void);
/// Watches `descriptor`, or changes the events that it is watched for. Returns zero, or -errno.
int switchyard_poller_set(int poller, int descriptor, uint64_t token, bool reads, bool writes);
void switchyard_poller_remove(int poller, int descriptor);
/// Waits for events, and returns their number, or -errno. Negative `milliseconds` are no limit.
int switchyard_poller_wait(int poller, switchyard_event *events, int capacity, int milliseconds);

/// Makes a pipe whose ends are closed by exec; where the system can, from the first moment, because
/// another thread may start a program at any time. Returns whether it did; if not, errno says why.
bool switchyard_pipe_create(int ends[2]);
/// Has `place` lead to what `descriptor` is open on, and closed by exec. Returns whether it did; if not,
/// errno says why. Safe in the child of a process with threads.
bool switchyard_descriptor_replace(int place, int descriptor);

/// Has `descriptor` closed in children that this process forks: otherwise its other end would not
/// notice when this process has gone. Returns false if there is no memory to note it: children then
/// keep it open.
bool switchyard_fork_closes(int descriptor);
/// Forgets a descriptor that was given to `switchyard_fork_closes` in this process, and closes it.
/// Does nothing to a descriptor that was given there before the fork.
void switchyard_fork_close(int descriptor);
/// Forgets a descriptor that was given to `switchyard_fork_closes`, because its owner is about to close it.
void switchyard_fork_forget(int descriptor);
/// Returns the number of forks since the first call of this or of `switchyard_fork_closes` in this
/// process or an ancestor.
uint64_t switchyard_fork_generation(void);
extern uint64_t switchyard_forks;
/// Returns the same, without a call of a function, once that was called.
static inline uint64_t switchyard_known_fork_generation(void) {
    return __atomic_load_n(&switchyard_forks, __ATOMIC_RELAXED);
}

/// Blocks all signals on the calling thread, except those for its own faults: the user's signal
/// handlers run on the user's threads.
void switchyard_block_signals(void);
/// Makes the calling thread's sleeps end at their time, without the system's usual slack.
void switchyard_sleep_precisely(void);
/// Returns a number that changes whenever the calling thread sleeps, and differs between threads.
/// Time in which the thread was ready to run, but had no processor, does not change it.
uint64_t switchyard_rests(void);
/// Returns the nanoseconds of a monotonic clock.
uint64_t switchyard_now(void);

#endif
