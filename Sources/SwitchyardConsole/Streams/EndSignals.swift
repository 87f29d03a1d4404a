// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore

/// The signals that end a command in order: SIGINT (Ctrl-C), SIGTERM, and SIGHUP.
public enum EndSignals {
    private static let set: sigset_t = {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        // `nohup` makes a process ignore SIGHUP, and it should stay ignored.
        if !isIgnored(SIGHUP) { sigaddset(&set, SIGHUP) }
        return set
    }()

    /// Whether the process ignores a signal.
    package static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        #if canImport(Glibc)
        let handler = action.__sigaction_handler.sa_handler
        #else
        let handler = action.__sigaction_u.__sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Blocks the signals for the calling thread and the threads that it starts from now on. Call
    /// it before other threads start. Ignores SIGPIPE, so that a write that nobody reads is an
    /// error.
    public static func hold() {
        signal(SIGPIPE, SIG_IGN)
        var set = set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Ends the process by a signal, as if the signal had not been blocked.
    package static func end(by signal: Int32) {
        // Another one may wait, which would end the process in place of this one.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(signal)
    }

    /// Takes the signals that wait beside one that is handled: all of them ask for the same end.
    private static func takePending(of set: sigset_t) {
        var (set, pending) = (set, sigset_t())
        while sigpending(&pending) == 0,
            [SIGINT, SIGTERM, SIGHUP].contains(where: {
                sigismember(&set, $0) == 1 && sigismember(&pending, $0) == 1
            })
        {
            var signal: Int32 = 0
            sigwait(&set, &signal)
        }
    }

    /// Calls `body` for each of the first `count` signals. The next one ends the process as usual,
    /// because the process may hang in a write that nobody reads.
    ///
    /// Only the first signal may be SIGHUP; a later SIGHUP does nothing. When a terminal goes, the
    /// system and the shell each send one, and the process should end in order all the same.
    ///
    /// - Parameter count: the number of signals to handle.
    public static func whenTheyCome(
        first count: Int = 1, _ body: @escaping @Sendable (Int32) -> Void
    ) {
        let error = SystemThread.tryToStart("signals") {
            var set = set
            var number = 0
            while number < count {
                var signal: Int32 = 0
                sigwait(&set, &signal)
                if number > 0, signal == SIGHUP { continue }
                number += 1
                takePending(of: set)
                if number == count {
                    sigdelset(&set, SIGHUP)
                    pthread_sigmask(SIG_UNBLOCK, &set, nil)
                }
                body(signal)
            }
            while true { pause() }
        }
        // Without a thread for them, they end the process as usual.
        if error != 0 {
            var set = set
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
        }
    }
}
