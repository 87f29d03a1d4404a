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

    /// Keeps the signals waiting, for the calling thread and those it starts from now on: to be called
    /// before there are others. That nobody reads what is written is no signal then, but an error.
    static func hold() {
        signal(SIGPIPE, SIG_IGN)
        var set = set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Ends the process by a signal, as if it had not been held.
    static func end(by signal: Int32) {
        var set = set
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(signal)
    }

    /// Calls `body` with the first of the held signals that come. One more ends the process as usual:
    /// it may hang in a write that nobody reads.
    ///
    /// - Parameter count: how many of them.
    static func whenTheyCome(
        first count: Int = 1, _ body: @escaping @Sendable (Int32) -> Void
    ) {
        let thread = Thread {
            ThreadName.set("signals")
            var set = set
            for number in 1...count {
                var signal: Int32 = 0
                sigwait(&set, &signal)
                if number == count { pthread_sigmask(SIG_UNBLOCK, &set, nil) }
                body(signal)
            }
            while true { pause() }
        }
        thread.start()
    }
}
