// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore

/// The output of a program, line by line, as it comes.
final class LineLog: Sendable {
    private struct Waiter {
        let number: Int
        let isWanted: @Sendable (String) -> Bool
        let found: CheckedContinuation<String?, Never>
    }

    private struct State {
        var lines: [String] = []
        /// The number of lines that a test has looked at.
        var seen = 0
        var hasEnded = false
        var lastWaiter = 0
        var waiter: Waiter?
    }

    private let state = Guarded(State())

    /// Reads to the end, on a thread of its own.
    init(_ file: FileHandle) {
        let thread = Thread { [self] in
            var rest = Data()
            while true {
                let data = file.availableData
                if data.isEmpty { break }
                rest += data
                while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    add(String(decoding: rest[..<newline], as: UTF8.self))
                    rest = rest[(newline + 1)...]
                }
            }
            if !rest.isEmpty { add(String(decoding: rest, as: UTF8.self)) }
            end()
        }
        thread.start()
    }

    /// All lines so far.
    var lines: [String] { state.withLock { $0.lines } }

    /// Waits for a wanted line that no test has looked at, and passes over the lines before it.
    ///
    /// - Returns: The line; nil when there will be none, or when none came in a minute.
    func next(
        where isWanted: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async -> String? {
        await withCheckedContinuation { found in
            let number = state.withLock { state in
                precondition(state.waiter == nil, "one task at a time waits for a line")
                state.lastWaiter += 1
                state.waiter = Waiter(number: state.lastWaiter, isWanted: isWanted, found: found)
                return state.lastWaiter
            }
            look()
            DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [self] in giveUp(number) }
        }
    }

    /// All lines, once there are no more.
    func all() async -> [String] {
        while await next() != nil {}
        return lines
    }

    private func add(_ line: String) {
        state.withLock { $0.lines.append(line) }
        look()
    }

    private func end() {
        state.withLock { $0.hasEnded = true }
        look()
    }

    /// Gives the waiter its line, if the line is there.
    private func look() {
        let (waiter, line) = state.withLock { state -> (Waiter?, String?) in
            guard let waiter = state.waiter else { return (nil, nil) }
            while state.seen < state.lines.count {
                let line = state.lines[state.seen]
                state.seen += 1
                if waiter.isWanted(line) {
                    state.waiter = nil
                    return (waiter, line)
                }
            }
            if state.hasEnded { state.waiter = nil }
            return (state.hasEnded ? waiter : nil, nil)
        }
        waiter?.found.resume(returning: line)
    }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let waiter = state.waiter, waiter.number == number else { return nil }
            state.waiter = nil
            return waiter
        }
        waiter?.found.resume(returning: nil)
    }
}
