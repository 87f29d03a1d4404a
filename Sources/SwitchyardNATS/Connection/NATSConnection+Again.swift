// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

// Connecting again after a break.
extension NATSConnection {
    /// Starts a thread that tries to connect until a server answers.
    func connectAgain() {
        BlockingThread.run("sw-nats-connect") { [self] in
            for tries in 0... {
                _ = stopped.wait(until: .now + .milliseconds(pause(before: tries)))
                if hasStopped.load(ordering: .sequentiallyConsistent) { return endIfStopped() }
                do {
                    if try begin() {
                        lastFailure.withLock { $0 = "" }
                        return endIfStopped()
                    }
                } catch {
                    // A missing server was reported when the connection broke.
                    if (error as? NATSError)?.isNoServer != true { report("\(error)") }
                }
            }
        }
    }

    private func endIfStopped() {
        guard hasStopped.load(ordering: .sequentiallyConsistent) else { return }
        session?.close()
        closeEnded()
        delegate.releaseSession()
    }

    /// Reports why connecting fails, unless the reason is the same as the last one.
    private func report(_ failure: String) {
        if lastFailure.exchange(failure) == failure { return }
        delegate.didFail(failure)
    }

    /// Reports why a server ended a session before it came into use.
    func reportEarlyEnd(_ reason: String) { report("the server ended the connection: \(reason)") }

    private func pause(before tries: Int) -> Int64 {
        state.withLock { $0.pauses.milliseconds(before: tries, options) }
    }
}
#endif
