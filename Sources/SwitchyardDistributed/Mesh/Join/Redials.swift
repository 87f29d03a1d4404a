// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// Members to be connected to once more, with growing pauses: their queue of incoming connections
/// was full, or the connection to them broke. Belongs to the mesh's reading thread.
struct Redials {
    private struct Redial {
        var tries: UInt64 = 0
        var due: UInt64
        var isWaiting = true
    }

    private var redials: [String: Redial] = [:]

    /// Schedules another try. The first try is at once, because most often the member has gone; the
    /// second comes after 10 ms, and each later one after twice the pause before, up to 10 s.
    mutating func add(_ address: String) {
        var redial = redials[address] ?? Redial(due: 0)
        redial.due = switchyard_now() + Self.pause(before: redial.tries)
        redial.tries += 1
        redial.isWaiting = true
        redials[address] = redial
    }

    private static func pause(before tries: UInt64) -> UInt64 {
        tries == 0 ? 0 : min(firstPause << min(tries - 1, 10), longestPause)
    }

    // In nanoseconds.
    private static let firstPause: UInt64 = 10_000_000
    private static let longestPause: UInt64 = 10_000_000_000

    /// The number of tries that were scheduled.
    func tries(for address: String) -> UInt64 { redials[address]?.tries ?? 0 }

    /// Ends the tries for a member that has gone, or has accepted this one.
    mutating func forget(_ address: String) { redials[address] = nil }

    /// Milliseconds to wait at most until the next try; negative for no limit.
    var milliseconds: Int32 {
        guard let due = redials.values.filter(\.isWaiting).map(\.due).min() else { return -1 }
        let now = switchyard_now()
        return due <= now ? 0 : Int32((due - now) / 1_000_000 + 1)
    }

    /// Returns the addresses to be tried now.
    mutating func takeDue() -> [String] {
        if redials.isEmpty { return [] }
        let now = switchyard_now()
        let due = redials.filter { $0.value.isWaiting && $0.value.due <= now }.map(\.key)
        for address in due { redials[address]?.isWaiting = false }
        return due
    }
}
