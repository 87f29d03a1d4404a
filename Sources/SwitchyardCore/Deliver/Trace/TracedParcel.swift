// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A parcel for one delivery of a post that is traced: writes down what becomes of it.
final class TracedParcel: AnyParcel, @unchecked Sendable {
    // Sendable: as its superclass; the rest is constant or atomic.
    private let parcel: AnyParcel
    /// The post's number.
    private let post: UInt64
    /// The observation's address.
    private let observation: UInt
    private let isOver = Atomic<Bool>(false)

    init(_ parcel: AnyParcel, of post: UInt64, to observation: Observation) {
        self.parcel = parcel
        self.post = post
        self.observation = observation.address
        super.init(objectIsGone: parcel.objectIsGone)
    }

    // Without another end, the observation had ended before the handler was called.
    deinit { end(.cancelled) }

    override func deliver(to handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        guard let frame = TraceFrame.enter(post) else { return try parcel.deliver(to: handler) }
        defer { leave(frame) }
        let outcome = try parcel.deliver(to: handler)
        if outcome == .expired { end(.expired) }
        return outcome
    }

    private func leave(_ frame: TraceFrame) {
        let isFirst = !isOver.exchange(true, ordering: .relaxed)
        frame.leave(isFirst ? .delivered : nil, observation)
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        let work = try parcel.work(for: handler)
        let (post, observation) = (post, observation)
        isOver.store(true, ordering: .relaxed)
        return {
            let began = TraceClock.now
            defer { TraceFrame.append(.delivered, of: post, to: observation, since: began) }
            return try await work()
        }
    }

    /// Writes down, unless something else was, how the delivery ended.
    private func end(_ kind: TraceEvent.Kind) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        TraceFrame.append(kind, of: post, to: observation)
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

    override func observerDied() {
        end(.expired)
        parcel.observerDied()
    }

    override func mailboxIsEnding() -> Int { parcel.mailboxIsEnding() }

    override func mailboxEnded(_ label: String) -> Bool {
        end(.undeliverable)
        return parcel.mailboxEnded(label)
    }

    override func wasDisplaced() {
        end(.replaced)
        parcel.wasDisplaced()
    }

    override func wasDiscarded() {
        end(.replaced)
        parcel.wasDiscarded()
    }

    // The post has written down why.
    override func wasNotQueued() { isOver.store(true, ordering: .relaxed) }
}
