// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Unix sockets and waiting for many of them, as the mesh between processes uses them. What differs
// between systems stands in socket.c and poller_*.c. Calls that fail return -errno.
#ifndef SWITCHYARD_SOCKET_H
#define SWITCHYARD_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// A socket that is bound to `name` in the folder and listens. Where the path is too long for an
/// address, it goes through `folder`, an open descriptor of the same folder.
int switchyard_socket_listen(int folder, const char *folder_path, const char *name);
/// A socket that is connected to `name` in the folder. It neither blocks now nor later.
int switchyard_socket_connect(int folder, const char *folder_path, const char *name);
/// The next connection that waits at a listener: one that does not block.
int switchyard_socket_accept(int listener);
/// The two ends of a connection inside this process.
int switchyard_socket_pair(int ends[2]);
/// Who is at the other end, as the kernel says. Zero, or -errno.
int switchyard_socket_peer(int socket, uint32_t *user, int32_t *process);
/// As send(2), without a signal when the other end is gone.
ssize_t switchyard_socket_send(int socket, const void *bytes, size_t count);
/// As recv(2).
ssize_t switchyard_socket_receive(int socket, void *bytes, size_t count);

/// Opens a folder, which must not be a symbolic link; makes it, for its user alone, if it is not
/// there. A descriptor, with the owner and the mode of what was opened.
int switchyard_folder_open(const char *path, uint32_t *owner, uint32_t *mode);
/// Whether there is a folder that belongs to this user.
bool switchyard_folder_is_own(const char *path);
/// How many seconds ago a file was made or renamed.
int64_t switchyard_file_age(int folder, const char *name);

/// What happened at a descriptor that is watched.
typedef struct {
    uint64_t token;
    bool is_readable;
    bool is_writable;
} switchyard_event;

/// Waits for many descriptors; its costs do not grow with how many there are.
int switchyard_poller_create(void);
/// Watches `descriptor`, or changes for what.
int switchyard_poller_set(int poller, int descriptor, uint64_t token, bool reads, bool writes);
void switchyard_poller_remove(int poller, int descriptor);
/// Waits; how many events there are. Negative `milliseconds`: no limit.
int switchyard_poller_wait(int poller, switchyard_event *events, int capacity, int milliseconds);

/// Has `descriptor` closed in children that this process forks: its other end would otherwise not
/// notice that this process has gone. False when there is no room to take note of it.
bool switchyard_fork_closes(int descriptor);
/// Ends that, and closes it.
void switchyard_fork_close(int descriptor);
/// How many forks lie between this process and the first that asked.
uint64_t switchyard_fork_generation(void);

/// Blocks every signal for the calling thread: the user's handlers run on the user's threads.
void switchyard_block_signals(void);
/// Has the calling thread's sleeps end when they should, and not a little later.
void switchyard_sleep_precisely(void);
/// A number that changes whenever the calling thread rests, or another calls: time in which it had no
/// processor does not change it.
uint64_t switchyard_rests(void);
/// Nanoseconds of a clock that only goes forward.
uint64_t switchyard_now(void);

#endif
