// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed

/// The notifications and other lines that wait to be written, in order.
///
/// A value without a lock or a thread: the transport's lock guards it.
struct Outbox {
    enum Item: Sendable {
        case notification(OutgoingNotification, number: UInt64)
        case line(WireLine)
        /// No line: the wait of this number is over once all before it is written.
        case mark(UInt64)
    }

    /// The number of bytes that may wait for a process that does not read.
    static let mostBytes = 64 << 20

    /// The interests of the other process; nil until it has said hello.
    var interests: Set<DistributedInterest>?
    private var waiting: [Item] = []
    private var bytes = 0
    /// The number of the last notification that was taken.
    private var lastNumber: UInt64 = 0
    /// The number of notifications dropped since.
    private var dropped: UInt64 = 0

    mutating func add(_ item: Item) { waiting.append(item) }

    /// Adds a notification, if the other process observes it or has not said what it observes.
    mutating func post(_ notification: OutgoingNotification) -> DistributedSendResult {
        guard isWanted(notification) else { return DistributedSendResult() }
        let size = notification.payload.bytes.count + notification.name.utf8.count
        guard bytes + size <= Self.mostBytes else {
            dropped += 1
            return DistributedSendResult(dropped: 1)
        }
        bytes += size
        waiting.append(.notification(notification, number: 0))
        return DistributedSendResult(sent: 1)
    }

    /// Removes and returns all that can be written now. Before the hello, notifications go on
    /// waiting, and with them the marks behind them.
    ///
    /// - Returns: The items, and the number of notifications dropped behind them.
    mutating func take() -> (items: [Item], dropped: UInt64) {
        guard interests != nil else {
            defer { waiting.removeAll { if case .line = $0 { true } else { false } } }
            return (waiting.filter { if case .line = $0 { true } else { false } }, 0)
        }
        let items = waiting.compactMap { item in
            guard case .notification(let notification, _) = item else { return item }
            guard isWanted(notification) else { return nil }
            lastNumber += 1
            return .notification(notification, number: lastNumber)
        }
        // The numbers of dropped notifications are left out behind those that waited, so that the
        // other process sees the gap.
        lastNumber += dropped
        defer { (waiting, bytes, dropped) = ([], 0, 0) }
        return (items, dropped)
    }

    /// Drops all, because nobody reads it any more.
    ///
    /// - Returns: The number of notifications.
    mutating func giveUp() -> UInt64 {
        defer { (waiting, bytes, dropped) = ([], 0, 0) }
        return Self.notifications(in: waiting) + dropped
    }

    static func notifications(in items: some Sequence<Item>) -> UInt64 {
        items.reduce(0) { if case .notification = $1 { $0 + 1 } else { $0 } }
    }

    private func isWanted(_ notification: OutgoingNotification) -> Bool {
        guard let interests else { return true }
        // An interest may leave the name open, or the object, or both.
        return [notification.name, nil].contains { name in
            [notification.object, nil].contains { object in
                interests.contains(DistributedInterest(name: name, object: object))
            }
        }
    }
}
