// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

/// Keeps a durable observer subscribed as long as the observer exists: on each new session, and
/// after the server has lost its streams or consumers. Runs on a thread of its own, because it
/// waits for the server's answers.
///
/// The keeper never gives up. A server's streams are ready only a moment after its clients connect,
/// the server takes an earlier session for alive for some time, and another process that uses the
/// name may end.
final class DurableKeeper: Sendable {
    private weak let transport: NATSTransport?
    private weak let observation: DurableObservation?
    private let wakeUp: ThreadSignal

    init(_ observation: DurableObservation, _ transport: NATSTransport) {
        self.transport = transport
        self.observation = observation
        wakeUp = observation.wakeUp
    }

    /// A lasting failure to subscribe: its beginning, and the last text reported about it.
    private struct Failure {
        var start = ContinuousClock.now
        var reported = ""
    }

    private static var usualPause: Int { 1_000 }
    private static var shortPause: Int { 100 }
    /// The pause before something is tried again for which the account had no permission.
    private static var refusedPause: Int { 5_000 }
    /// The time that a server may need to be ready. Its refusals are reported only after that.
    private static var patience: Duration { .seconds(5) }

    /// Checks the observer again and again. Returns when the observation or the transport has
    /// ended.
    func run() {
        var failure: Failure?
        while let milliseconds = look(&failure) {
            _ = wakeUp.wait(until: .now + .milliseconds(milliseconds))
        }
    }

    /// - Returns: The milliseconds until the next check, unless woken before; nil to stop.
    private func look(_ failure: inout Failure?) -> Int? {
        guard let transport, let observation, !observation.hasEnded,
            !transport.durablesHaveEnded.load(ordering: .sequentiallyConsistent)
        else { return nil }
        if let context = observation.endWithContext() {
            transport.intake?.report(
                problem:
                    "the durable observer \"\(observation.consumer.name)\" has ended, because "
                    + "\(context) has ended. Notifications that it has not handled are kept for the "
                    + "next observer of the name: observe again, on a context that lives")
            return nil
        }
        guard let session = transport.session else { return Self.usualPause }
        do {
            if try !observation.isSubscribed(transport, session) {
                let gaps = try observation.begin(transport, session)
                if !transport.knowsStream { transport.findStream(session) }
                // Processes that post hear of the stream, and have their posts acknowledged from
                // now on.
                transport.greetPeers()
                for stream in DurableStream.allCases where gaps.contains(stream) {
                    reportGap(stream, observation, transport)
                }
            }
            failure = nil
            return Self.usualPause
        } catch {
            let haveEnded = transport.durablesHaveEnded.load(ordering: .sequentiallyConsistent)
            if haveEnded || observation.hasEnded { return nil }
            // The session has ended, so the error is out of date.
            if transport.session !== session { return Self.shortPause }
            return report(error, &failure, transport)
        }
    }

    /// Reports a lasting failure, once for each text.
    ///
    /// - Returns: The milliseconds until the next check.
    private func report(
        _ error: any Error, _ failure: inout Failure?, _ transport: NATSTransport
    ) -> Int {
        var current = failure ?? Failure()
        defer { failure = current }
        let isOld = ContinuousClock.now - current.start >= Self.patience
        let code = (error as? NATSError)?.code
        let isClear = code == .nameIsTaken || code == .notAllowed
        let text = "\(error)"
        if isOld || isClear, text != current.reported {
            current.reported = text
            transport.intake?.report(problem: text)
        }
        if code == .notAllowed { return Self.refusedPause }
        return isOld ? Self.usualPause : Self.shortPause
    }

    private func reportGap(
        _ stream: DurableStream, _ observation: DurableObservation, _ transport: NATSTransport
    ) {
        let name = stream.name(transport.options.domain)
        let whose = "the durable observer \"\(observation.consumer.name)\""
        let cause =
            "somebody deleted it, or the server lost some of its storage. It was made again"
        switch stream {
        case .kept:
            transport.intake?.report(
                problem:
                    "the notifications that the stream \(name) kept for \(whose) are gone: \(cause). "
                    + "Those that were not handled before are lost; their number is unknown")
        case .refused:
            transport.intake?.report(
                problem:
                    "the stream \(name) has gone, and with it the notifications that \(whose) had "
                    + "refused: \(cause). Those that waited to be handled again, or were given up, "
                    + "are lost; their number is unknown")
        }
    }
}
#endif
