// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The turn of one end of a pause: the deliveries that were kept until then are made or dropped.
/// After the last turn, deliveries go the usual way again.
final class PauseTurn: Sendable {
    private let paused: PausedDeliveries
    private let observation: Observation
    /// Whether the deliveries are dropped.
    private let drops: Bool

    init(_ paused: PausedDeliveries, of observation: Observation, drops: Bool) {
        self.paused = paused
        self.observation = observation
        self.drops = drops
    }

    /// Takes the turn on the calling thread. A handler of an earlier turn may be running, on this
    /// thread, or without a mailbox on another one: then that turn goes on with what comes.
    func take() {
        var dropped = FIFO<AnyParcel>()
        let serves = paused.begin(dropping: drops, &dropped)
        if serves {
            deliver { PausedDeliveries.drop(&dropped) }
        } else {
            PausedDeliveries.drop(&dropped)
        }
    }

    /// Takes the turn in the calling task.
    func takeAsync() async {
        var dropped = FIFO<AnyParcel>()
        let serves = paused.begin(dropping: drops, &dropped)
        PausedDeliveries.drop(&dropped)
        while serves, let parcel = paused.next(of: observation, isInTask: true) {
            await parcel.deliverAsync(to: observation)
        }
    }

    /// Gives the turn up: its deliveries will not be made.
    func giveUp() { paused.endTurn(of: observation) }

    /// - Parameter drop: drops what comes before the deliveries, which may be the user's code as
    ///   well.
    private func deliver(after drop: () -> Void = {}) {
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        drop()
        while let parcel = paused.next(of: observation) { parcel.deliver(to: observation) }
    }
}

extension PauseTurn: EndsWithThread {
    /// A handler, or a payload that was dropped, has ended the thread that was delivering: others
    /// go on.
    package func threadEnds() {
        if observation.mailbox != nil {
            paused.serverEnded()
            observation.queue(PauseTurn(paused, of: observation, drops: false))
        } else {
            Task.detached { [self] in deliver() }
        }
    }
}
