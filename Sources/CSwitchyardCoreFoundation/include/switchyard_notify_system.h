// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Things that Swift can't reach by itself on Linux: dispatch queues that C code passes, for which there is no way to
// the class DispatchQueue, and calls of the system that Swift's Glibc module lacks. Not for programs.
#ifndef SWITCHYARD_NOTIFY_SYSTEM_H
#define SWITCHYARD_NOTIFY_SYSTEM_H

#include <stddef.h>

#if !defined(__APPLE__)
void switchyard_queue_retain(void *queue);
void switchyard_queue_release(void *queue);
/// Has `work` called with `context` on the queue.
void switchyard_queue_async(void *queue, void *context, void (*work)(void *context));

/// Makes a file in a folder, with the mode 0600, which has its content from the moment at which it has its
/// name. Returns 0, or a negative error: -EEXIST if the name is taken, and others where the file system
/// has no files without a name.
int switchyard_notify_file_make(
    int folder, const char *name, const void *content, size_t size);

/// Makes a pipe whose ends are closed by exec. Returns whether it did; if not, errno says why.
_Bool switchyard_pipe(int ends[2]);
/// Writes an int to a pipe, in network byte order. No signal comes if nobody can read it, because a
/// program has closed the end that it was given.
void switchyard_pipe_write(int end, int number);
#endif

#endif
