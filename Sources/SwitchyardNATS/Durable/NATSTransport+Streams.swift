// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

/// What durable observers need. Guard: the transport's lock.
struct Streams: Sendable {
    /// libnats's context of JetStream, of one session.
    final class Context: @unchecked Sendable {
        // Sendable: libnats locks what is behind the pointer.
        let handle: OpaquePointer
        let session: NATSSession

        init(_ session: NATSSession) throws {
            var made: OpaquePointer?
            try NATSError.check(
                natsConnection_JetStream(&made, session.handle, nil), "use JetStream")
            guard let handle = made else { throw NATSError("there is no memory for JetStream") }
            self.handle = handle
            self.session = session
        }

        deinit { jsCtx_Destroy(handle) }
    }

    struct Durable {
        weak let observation: DurableObservation?
    }

    var context: Context?
    var durables: [Durable] = []
}

extension NATSTransport {
    /// Calls `body` with libnats's context of JetStream.
    func withStreams<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        guard let session else {
            throw NATSError(
                "there is no connection to NATS just now: try again when there is, or wait for it "
                    + "with ready(within:)")
        }
        let context = try streams.withLock { streams -> Streams.Context in
            if let context = streams.context, context.session === session { return context }
            let context = try Streams.Context(session)
            streams.context = context
            return context
        }
        return try withExtendedLifetime(context) { try body(context.handle) }
    }

    /// Has an observation go on when there is another session.
    func keepDurable(_ observation: DurableObservation) {
        streams.withLock { streams in
            streams.durables.removeAll { $0.observation?.hasEnded ?? true }
            streams.durables.append(Streams.Durable(observation: observation))
        }
    }

    func endStreams() {
        _ = streams.exchange(Streams())
    }

    /// Has all durable observers listen again.
    func renewStreams(_ session: NATSSession) {
        for durable in streams.withLock(\.durables) {
            DispatchQueue.global().async { [self] in renew(durable, session) }
        }
    }

    /// Tried again for a while: a server has its streams a moment after it has clients, and takes the
    /// earlier session for alive until it knows better.
    private func renew(_ durable: Streams.Durable, _ session: NATSSession) {
        for tries in 1... {
            guard self.session === session, let observation = durable.observation,
                !observation.hasEnded
            else { return }
            do {
                return try withStreams { try observation.begin($0) }
            } catch {
                if tries == Self.triesBeforeReport { intake?.report(problem: "\(error)") }
            }
            usleep(Self.pause)
        }
    }

    private static var triesBeforeReport: Int { 50 }
    /// In microseconds.
    private static var pause: UInt32 { 100_000 }
}
#endif
