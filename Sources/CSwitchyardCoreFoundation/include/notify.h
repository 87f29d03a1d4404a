// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Darwin's notifications between processes: names without contents, and 64 bits of state for each name.
// The functions and constants are those of Apple's notify(3); the product SwitchyardCoreFoundation
// defines them on Linux. Mach ports do not exist there, so notify_register_mach_port is not declared.
//
// Names are shared by the processes of one user. Names that begin with "self." belong to the process
// alone. A name is any bytes up to the terminating zero, at least one and at most 65,535. Every function
// may be called on any thread, but not in a signal handler.
#ifndef SWITCHYARD_NOTIFY_H
#define SWITCHYARD_NOTIFY_H

#if defined(__APPLE__)
#include_next <notify.h>
#else

#include <stdbool.h>
#include <stdint.h>

/// The call did what was asked.
#define NOTIFY_STATUS_OK 0
/// The name is empty or too long.
#define NOTIFY_STATUS_INVALID_NAME 1
/// No registration has this token.
#define NOTIFY_STATUS_INVALID_TOKEN 2
/// Not used here: there are no Mach ports.
#define NOTIFY_STATUS_INVALID_PORT 3
/// No earlier registration made the descriptor that is to be used again.
#define NOTIFY_STATUS_INVALID_FILE 4
/// The system has no signal of this number.
#define NOTIFY_STATUS_INVALID_SIGNAL 5
/// The flags have an unknown bit.
#define NOTIFY_STATUS_INVALID_REQUEST 6
/// The name belongs to another user: it begins with "user.uid." and that user's number.
#define NOTIFY_STATUS_NOT_AUTHORIZED 7
/// Not used here.
#define NOTIFY_STATUS_OPT_DISABLE 8
/// Not used here: there is no server.
#define NOTIFY_STATUS_SERVER_NOT_FOUND 9
/// An argument is null that must not be.
#define NOTIFY_STATUS_NULL_INPUT 10
/// The system refused something: the folder of names can't be used, or descriptors or memory ran out.
/// The reason is reported to the problem hook of Swift's default center, which prints it to the standard
/// error if no hook is set.
#define NOTIFY_STATUS_FAILED 1000000

/// A flag of notify_register_file_descriptor: deliver to the descriptor that the argument holds.
#define NOTIFY_REUSE 0x00000001

/// A number that is never a token.
#define NOTIFY_TOKEN_INVALID (-1)

#if defined(__cplusplus)
extern "C" {
#endif

/// Notifies all registrations for `name`, in this process and in the user's others.
uint32_t notify_post(const char *name);

/// Registers for notify_check and the state alone; nothing is delivered. Needs no thread.
uint32_t notify_register_check(const char *name, int *out_token);

/// Registers for a signal to this process. Several notifications may arrive as one signal.
uint32_t notify_register_signal(const char *name, int sig, int *out_token);

/// Registers for the token, an int in network byte order (read it with ntohl), to be written to a
/// descriptor. Without NOTIFY_REUSE the call makes the descriptor, and stores it in `notify_fd`. It is
/// closed with the last registration that uses it. Tokens that find the pipe full are lost.
uint32_t notify_register_file_descriptor(
    const char *name, int *notify_fd, int flags, int *out_token);

#if defined(__BLOCKS__) && !defined(__swift__)
#if __has_include(<dispatch/dispatch.h>)
#include <dispatch/dispatch.h>
#else
typedef struct dispatch_queue_s *dispatch_queue_t;
#endif
typedef void (^notify_handler_t)(int token);

/// Registers for `handler` to be called on `queue`, which is retained until the registration is
/// cancelled. The handler is not called again before it has returned; notifications that come meanwhile
/// lead to one more call. (Swift: the function of this name in the module SwitchyardCoreFoundation.)
uint32_t notify_register_dispatch(
    const char *name, int *out_token, dispatch_queue_t queue, notify_handler_t handler);
#endif

/// Sets `check` to 1 if `name` was posted since the last call with this token, or if this is the first;
/// else to 0. One post is never taken for another.
uint32_t notify_check(int token, int *check);

/// Sets the state of the token's name, for all processes. The state is 0 until somebody sets it, and is
/// lost when the last registration for the name ends.
uint32_t notify_set_state(int token, uint64_t state);
/// Gets the state of the token's name.
uint32_t notify_get_state(int token, uint64_t *state);

/// Stops deliveries until notify_resume was called as often. Notifications that come meanwhile lead to
/// one delivery then.
uint32_t notify_suspend(int token);
/// Ends one notify_suspend. Without one, it does nothing.
uint32_t notify_resume(int token);

/// Ends a registration. A delivery that another thread has begun may still come after the return. No
/// handler starts after that if its queue is serial and this is called on it.
uint32_t notify_cancel(int token);

/// Returns whether a registration has this token.
bool notify_is_valid_token(int token);

#if defined(__cplusplus)
}
#endif

#endif
#endif
