// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Two things that Swift can't reach by itself on Linux: dispatch queues that C code passes, for which there is
// no way to the class DispatchQueue, and a function that Swift's Glibc module lacks. Not for programs.
#ifndef SWITCHYARD_NOTIFY_SYSTEM_H
#define SWITCHYARD_NOTIFY_SYSTEM_H

#if !defined(__APPLE__)
void switchyard_queue_retain(void *queue);
void switchyard_queue_release(void *queue);
/// Has `work` called with `context` on the queue.
void switchyard_queue_async(void *queue, void *context, void (*work)(void *context));

/// Makes a pipe whose ends are closed by exec. Returns whether it did; if not, errno says why.
_Bool switchyard_pipe(int ends[2]);
/// Writes an int to a pipe, in network byte order. No signal comes if nobody can read it, because a
/// program has closed the end that it was given.
void switchyard_pipe_write(int end, int number);
#endif

#endif
