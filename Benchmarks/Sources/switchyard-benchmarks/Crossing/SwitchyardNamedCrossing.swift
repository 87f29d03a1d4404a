// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Switchyard

/// Ours, as moved code uses it: a notification with a name, which waits in a parcel and not as its
/// bits.
struct SwitchyardNamedCrossing: CrossingSubject {
    let name = "Switchyard, by name"
    let role = Role.switchyard
    /// The answer would need a value, which a name alone does not carry.
    let canAnswer = false

    private final class Post: Sender {
        private static let name = Notification.Name("SwitchyardBenchmarksCrossing")
        private let center = Switchyard.NotificationCenter()
        private let token: ObservationToken
        private let end: @Sendable () -> Void

        init(_ context: DeliveryContext, _ receiver: Receiver, end: @escaping @Sendable () -> Void)
        {
            token = center.observe(Self.name, on: context) { _ in receiver.receive(0) }
            // A burst passes the mark at which a mailbox says that much is waiting.
            center.onProblem { _ in }
            self.end = end
        }

        func send(_ value: Int) { center.post(name: Self.name, object: nil) }

        func stop() {
            token.cancel()
            end()
        }
    }

    func sender(to place: CrossingQuestion.Place, _ receiver: Receiver) -> (any Sender)? {
        SwitchyardCrossing.context(for: place).map { Post($0, receiver, end: $1) }
    }
}
