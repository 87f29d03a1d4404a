// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A parcel for one delivery of a post that is traced: writes down what becomes of it.
final class TracedParcel: WrappedParcel, @unchecked Sendable {
    // Sendable: as its superclass; the rest is constant or atomic.
    /// The post's number.
    private let post: UInt64
    /// The observation's address.
    private let observation: Atomic<UInt>
    private let isOver = Atomic<Bool>(false)
    /// Whether the delivery moves on if its observer has died, so that this is no end.
    private let outlivesObserver: Bool

    init(
        _ parcel: AnyParcel, of post: UInt64, to observation: Observation,
        outlivesObserver: Bool = false
    ) {
        self.post = post
        self.observation = Atomic(observation.address)
        self.outlivesObserver = outlivesObserver
        super.init(around: parcel)
    }

    // Without another end, the observation had ended before the handler was called.
    deinit { end(.cancelled) }

    override func callHandler(_ handler: Unmanaged<_AnyDeliveryHandler>) throws -> DeliveryOutcome {
        guard let frame = TraceFrame.enter(post) else { return try parcel.callHandler(handler) }
        do {
            let outcome = try parcel.callHandler(handler)
            leave(frame, outcome)
            return outcome
        } catch {
            leave(frame, .delivered)
            throw error
        }
    }

    private func leave(_ frame: TraceFrame, _ outcome: DeliveryOutcome) {
        switch outcome {
        case .expired:
            frame.leave(nil, address)
            expire()
        case .tooLate:
            frame.leave(nil, address)
        default:
            let isFirst = !isOver.exchange(true, ordering: .relaxed)
            frame.leave(isFirst ? .delivered : nil, address)
        }
    }

    private func expire() { if !outlivesObserver { end(.expired) } }

    private var address: UInt { observation.load(ordering: .relaxed) }

    override func moved(to observation: Observation) {
        self.observation.store(observation.address, ordering: .relaxed)
        parcel.moved(to: observation)
    }

    override func work(for handler: Unmanaged<_AnyDeliveryHandler>) throws -> AsyncWork {
        let work = try parcel.work(for: handler)
        return { [self] in
            let began = TraceClock.now
            do {
                let outcome = try await work()
                switch outcome {
                case .expired: expire()
                case .tooLate: break
                default: wasDelivered(since: began)
                }
                return outcome
            } catch {
                wasDelivered(since: began)
                throw error
            }
        }
    }

    private func wasDelivered(since began: UInt64) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        TraceFrame.appendAsyncCall(of: post, to: address, since: began)
    }

    /// Writes down, unless something else was, how the delivery ended.
    private func end(_ kind: TraceEvent.Kind) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        TraceFrame.append(kind, of: post, to: address)
    }

    override func isDue(at ticks: UInt64) {
        // It may have been lost while a pause kept it.
        if !isOver.load(ordering: .relaxed) {
            TraceFrame.append(.due, of: post, to: address, at: ticks)
        }
        parcel.isDue(at: ticks)
    }

    override func observerDied() {
        end(.expired)
        parcel.observerDied()
    }

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
