// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The call sites of posts: the return addresses of the calls of `post`. Each is known by a number,
/// which stands in trace events; its addresses are looked up later, by whoever reads them. When
/// nobody traces any more, all are given up, and their numbers are not used again.
package enum CallSites {
    /// The return addresses on the way to a post, the innermost first. Some are the center's own.
    package typealias Frames = [UInt]

    /// The most frames that are kept: the center's own, and some of its callers. Code that is not
    /// optimized has more.
    #if DEBUG
    static let mostFrames = 32
    #else
    static let mostFrames = 12
    #endif
    /// Sites beyond these in one tracing have the number 0, so that a program that makes up code
    /// can't fill memory.
    private static let most = 1 << 13

    struct Table {
        var numbers: [Frames: UInt32] = [:]
        var sites: [Frames] = []
        /// The greatest number that was given up.
        var givenUp: UInt32 = 0
    }

    static let table = Guarded(Table())

    /// Has forks wait for the table, so that a child in which somebody traces can use it.
    static func holdAcrossForks() { table.holdAcrossForks() }

    /// The number of the site that leads to the function with this frame.
    static func number(of frame: UInt, _ stack: switchyard_stack) -> UInt32 {
        let frames = Frames(unsafeUninitializedCapacity: mostFrames) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = Int(switchyard_callers(frame, stack, start, Int32(mostFrames)))
        }
        return number(of: frames)
    }

    /// The number of a site, from 1; 0 if there are too many.
    private static func number(of frames: Frames) -> UInt32 {
        table.withLock { table in
            if let known = table.numbers[frames] { return known }
            guard table.sites.count < most else { return 0 }
            table.sites.append(frames)
            let number = table.givenUp &+ UInt32(table.sites.count)
            table.numbers[frames] = number
            return number
        }
    }

    /// The sites whose numbers are greater than `number`, in the order of their numbers.
    package static func after(_ number: UInt32) -> [(number: UInt32, frames: Frames)] {
        table.withLock { table in
            let first = max(number, table.givenUp)
            return table.sites.dropFirst(Int(first - table.givenUp)).enumerated().map {
                (first &+ UInt32($0.offset) &+ 1, $0.element)
            }
        }
    }

    /// Gives all sites up: no events with their numbers are read any more.
    static func giveUp() {
        table.withLock { $0 = Table(givenUp: $0.givenUp &+ UInt32($0.sites.count)) }
    }
}

/// The call sites that one thread has posted from, so that it need not ask for their numbers again.
struct CallSiteCache {
    private struct Entry {
        var hash: UInt64 = 0
        var number: UInt32 = 0
    }

    private static let size = 256
    /// Never freed, as the ring that has it.
    private let entries: UnsafeMutablePointer<Entry>

    init() {
        entries = .allocate(capacity: Self.size)
        entries.initialize(repeating: Entry(), count: Self.size)
    }

    /// The number of the site with this hash, which is not zero; nil if it was not added, or has
    /// made way for another.
    @inline(__always)
    subscript(hash: UInt64) -> UInt32? {
        let entry = entry(hash)
        return entry.pointee.hash == hash ? entry.pointee.number : nil
    }

    /// Forgets all numbers, which were given up.
    func removeAll() { entries.update(repeating: Entry(), count: Self.size) }

    func add(_ hash: UInt64, _ number: UInt32) -> UInt32 {
        entry(hash).pointee = Entry(hash: hash, number: number)
        return number
    }

    @inline(__always)
    private func entry(_ hash: UInt64) -> UnsafeMutablePointer<Entry> { entries + Int(hash >> 56) }
}
