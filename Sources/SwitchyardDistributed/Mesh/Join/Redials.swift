// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// Members to be connected to once more, after pauses: their queue of incoming connections was
/// full, or the connection to them broke. Belongs to the mesh's reading thread.
struct Redials {
    /// The times of the tries that are to come.
    private var due: [String: UInt64] = [:]
    /// The number of tries that were scheduled since the member last accepted this one.
    private var tries: [String: UInt64] = [:]
    /// The time up to which the connections that a member accepted, and that broke, have used its
    /// allowance.
    private var paid: [String: UInt64] = [:]

    /// Schedules another try. The first try is at once, because most often the member has gone; the
    /// second comes after 10 ms, and each later one after twice the pause before, up to 10 s.
    mutating func add(_ address: String, at now: UInt64 = switchyard_now()) {
        let before = tries(for: address)
        due[address] = now + Self.pause(before: before)
        tries[address] = before + 1
    }

    /// Schedules the first try after the end of a connection that the member had accepted: at once,
    /// unless too many have ended in a short time. Otherwise, a member that accepts each connection
    /// and breaks it off would keep this one busy.
    mutating func addAnew(_ address: String, at now: UInt64 = switchyard_now()) {
        let start = max(paid[address] ?? 0, now - min(now, Self.mostAtOnce * Self.forOne))
        paid[address] = start + Self.forOne
        due[address] = max(now, start)
        tries[address] = 1
    }

    private static func pause(before tries: UInt64) -> UInt64 {
        tries == 0 ? 0 : min(firstPause << min(tries - 1, 10), longestPause)
    }

    // In nanoseconds.
    private static let firstPause: UInt64 = 10_000_000
    private static let longestPause: UInt64 = 10_000_000_000

    /// The most connections to a member that may break off and be made again at once.
    static let mostAtOnce: UInt64 = 64
    /// Nanoseconds after which one more may be made at once.
    private static let forOne: UInt64 = 50_000_000

    /// The number of tries that were scheduled.
    func tries(for address: String) -> UInt64 { tries[address] ?? 0 }

    /// Ends the tries for a member that has accepted this one.
    mutating func end(_ address: String) {
        due[address] = nil
        tries[address] = nil
    }

    /// Forgets a member that has gone.
    mutating func forget(_ address: String) {
        end(address)
        paid[address] = nil
    }

    /// Milliseconds to wait at most until the next try; negative for no limit.
    func milliseconds(at now: UInt64 = switchyard_now()) -> Int32 {
        guard let due = due.values.min() else { return -1 }
        return due <= now ? 0 : Int32((due - now) / 1_000_000 + 1)
    }

    /// Returns the addresses to be tried now.
    mutating func takeDue(at now: UInt64 = switchyard_now()) -> [String] {
        if due.isEmpty { return [] }
        let addresses = due.filter { $0.value <= now }.map(\.key)
        for address in addresses { due[address] = nil }
        return addresses
    }
}
