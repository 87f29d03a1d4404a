// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Ctrl-C and SIGTERM as a way to end in order.
enum EndSignals {
    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        return set
    }

    /// Keeps the signals waiting, for the calling thread and those it starts from now on.
    static func hold() {
        var set = set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls `body` with the first of the held signals that comes. A second one ends the process as
    /// usual: it may hang in a write that nobody reads.
    static func whenOneComes(_ body: @escaping @Sendable (Int32) -> Void) {
        let thread = Thread {
            ThreadName.set("signals")
            var set = set
            var signal: Int32 = 0
            sigwait(&set, &signal)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            body(signal)
            while true { pause() }
        }
        thread.start()
    }
}
