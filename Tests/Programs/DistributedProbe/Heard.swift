// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed

/// A value that many threads write, and that a thread can wait for.
final class Board<Value>: @unchecked Sendable {
    // Sendable: `value` is behind the condition's lock.
    private var value: Value
    private let changed = NSCondition()

    init(_ value: Value) { self.value = value }

    func change(_ change: (inout Value) -> Void) {
        changed.lock()
        change(&value)
        changed.broadcast()
        changed.unlock()
    }

    var current: Value {
        changed.lock()
        defer { changed.unlock() }
        return value
    }

    /// Waits until the condition holds, or the time is over, and returns the value at that time.
    @discardableResult
    func wait(seconds: Double = 60, until isSo: (Value) -> Bool) -> Value {
        let limit = Date(timeIntervalSinceNow: seconds)
        changed.lock()
        defer { changed.unlock() }
        while !isSo(value), changed.wait(until: limit) {}
        return value
    }
}

/// The notifications that one observer heard.
struct Heard {
    var entries: [Entry] = []
    private(set) var tallies: [String: Tally] = [:]
    private(set) var count = 0

    mutating func note(_ entry: Entry, onlyCounts: Bool) {
        count += 1
        if !onlyCounts { entries.append(entry) }
        guard let number = entry.number else { return }
        var tally =
            tallies[entry.sender] ?? Tally(sender: entry.sender, process: entry.process)
        if tally.count == 0 {
            tally.first = number
        } else if number > tally.last {
            tally.missing += number - tally.last - 1
        } else {
            tally.disorder += 1
        }
        tally.count += 1
        tally.last = number
        tallies[entry.sender] = tally
    }
}

extension Posts {
    /// The payload of a post, which is no message.
    func payload(_ number: Int) throws -> DistributedPayload {
        switch form {
        case .bare, .message: return .none
        case .info: return try DistributedPayload(userInfo: userInfo(number))
        case .bytes:
            var bytes = [UInt8](repeating: 7, count: max(8, size))
            withUnsafeBytes(of: UInt64(number).littleEndian) { number in
                for (index, byte) in number.enumerated() { bytes[index] = byte }
            }
            return try DistributedPayload(bytes: bytes)
        }
    }

    func userInfo(_ number: Int) -> [AnyHashable: Any] {
        ["n": number, "filling": String(repeating: "x", count: max(0, size - 40))]
    }
}

extension Entry {
    init(_ received: ReceivedNotification) throws {
        self.init(
            name: received.name.rawValue, object: received.object,
            number: Self.number(in: try received.payload.userInfo), sender: received.sender.id,
            process: received.sender.processIdentifier, sequence: received.sequence,
            thread: currentThread)
    }

    init(_ notification: Notification) {
        self.init(
            name: notification.name.rawValue, object: notification.object as? String,
            number: Self.number(in: notification.userInfo), thread: currentThread)
    }

    static func number(in userInfo: [AnyHashable: Any]?) -> Int? {
        if let number = (userInfo?["n"] ?? userInfo?["number"]) as? Int { return number }
        guard let data = userInfo?[DistributedNotificationCenter.dataKey] as? Data, data.count >= 8
        else { return nil }
        return data.withUnsafeBytes { Int(UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self))) }
    }
}
