// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A parcel for one delivery that its post waits for.
///
/// The class is no ``WrappedParcel``: an object releases its own properties before those of its
/// superclass, and the post may stop waiting only when the parcel, with the payload, has been
/// released.
final class AwaitedParcel: AnyParcel, @unchecked Sendable {
    // Sendable: as its superclass; constant or atomic.
    private let parcel: AnyParcel
    /// Released after the parcel: the order of declarations.
    private let ticket: PostWait.Ticket
    /// The number of this call as a resource of the wait graph; 0 if the handler as a whole is the
    /// resource, because its calls do not overlap.
    private let call: Atomic<UInt64>
    /// Whether the delivery moves on if its observer has died, or is used up, so that this is no
    /// end.
    private let outlivesObserver: Bool

    /// - Parameter call: the number of this call as a resource of the wait graph; 0 if there is
    ///   none.
    init(
        _ parcel: AnyParcel, _ wait: PostWait, for observation: Observation, call: UInt64,
        outlivesObserver: Bool
    ) {
        self.parcel = parcel
        self.outlivesObserver = outlivesObserver
        self.call = Atomic(call)
        let resources = observation.resources(ofCall: call)
        ticket =
            outlivesObserver
            ? PostWait.Ticket(wait, resources)
            : PostWait.Ticket(wait, resources, endingWith: observation)
        super.init(objectIsGone: parcel.objectIsGone)
    }

    override func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        ticket.begins()
        ThreadEnd.notify(ticket)
        defer { ThreadEnd.forget(ticket) }
        do {
            let outcome = try parcel.callHandler(handler)
            note(outcome)
            return outcome
        } catch {
            ticket.ended(with: Self.outcome(error))
            throw error
        }
    }

    private func note(_ outcome: DeliveryOutcome) {
        if outlivesObserver, outcome == .expired || outcome == .tooLate { return }
        ticket.ended(with: outcome)
    }

    /// The outcome of a delivery that ended with an error: a handler that throws has returned, too,
    /// but one that was skipped was not called.
    private static func outcome(_ error: any Error) -> DeliveryOutcome {
        error is DeliverySkipped ? .uncounted : .delivered
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        ticket.begins()
        let work = try parcel.work(for: handler)
        let call = call.load(ordering: .relaxed)
        return { [self] in
            HandlerTask.entered.last?.hold(call)
            do {
                let outcome = try await work()
                note(outcome)
                return outcome
            } catch {
                ticket.ended(with: Self.outcome(error))
                throw error
            }
        }
    }

    override func key(
        _ key: DeliveryKey, for handler: Unmanaged<_AnyDeliveryHandler>
    ) -> AnyHashable? {
        parcel.key(key, for: handler)
    }

    override func admits(
        _ filter: DeliveryFilter, for handler: Unmanaged<_AnyDeliveryHandler>
    ) -> Bool {
        parcel.admits(filter, for: handler)
    }

    override func observationEnded() { parcel.observationEnded() }

    override func moved(to observation: Observation) {
        let isConcurrent = observation.has(Observation.State.concurrent)
        let call = isConcurrent ? Observation.nextCall : 0
        self.call.store(call, ordering: .relaxed)
        ticket.needs(observation.resources(ofCall: call))
        parcel.moved(to: observation)
    }

    override func observerDied() {
        parcel.observerDied()
        ticket.ended(with: .expired)
    }

    override func isDue(at ticks: UInt64) { parcel.isDue(at: ticks) }

    override func wasNotQueued() { parcel.wasNotQueued() }

    // Ends the ticket now: the parcel may be released much later.
    override func wasDiscarded() {
        parcel.wasDiscarded()
        ticket.end()
    }

    override func threadEnded() {
        parcel.threadEnded()
        ticket.threadEnds()
    }

    override func mailboxEnded(_ label: String) -> Bool {
        let isCounted = parcel.mailboxEnded(label)
        return ticket.mailboxEnded(label) || isCounted
    }

    // The mailbox keeps the parcel for a while; the post need not wait for that.
    override func wasDisplaced() {
        parcel.wasDisplaced()
        ticket.ended(with: .dropped)
        ticket.end()
    }
}

extension PostWait.Ticket {
    /// A ticket that ends when the handler of `observation` is called no more, unless
    /// ``begins()`` was called before.
    package convenience init(
        _ wait: PostWait, _ resources: [WaitGraph.Resource], endingWith observation: Observation
    ) {
        self.init(wait, resources, of: observation.address)
        if observation.tellsAwaitedOfEnd() { observationHasEnded() }
    }
}

extension PostWait.Ticket: EndsWithThread {
    /// The handler has ended its thread, and never returns.
    package func threadEnds() {
        mailboxEnded("thread \(ThreadName.current)")
        end()
    }
}
