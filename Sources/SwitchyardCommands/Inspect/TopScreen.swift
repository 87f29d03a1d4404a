// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@preconcurrency internal import Dispatch
internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardCore

/// The terminal on which `switchyard top` shows its tables. Keys change the order of the rows at
/// once.
final class TopScreen: Sendable {
    private struct State: @unchecked Sendable {
        // Sendable: behind the lock. The buffer is used there alone.
        var table: HandlerTable?
        var order: RowOrder
        let output = OutputBuffer()
    }

    private let state: Guarded<State>
    private let hasKeys: Bool
    /// Comes when the terminal has got another size.
    private let resized = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .global())

    /// Takes the terminal. ``leave()`` gives it back.
    init(_ order: RowOrder) {
        state = Guarded(State(order: order))
        hasKeys = KeyboardMode.enter()
        if hasKeys { readKeys() }
        resized.setEventHandler { [self] in state.withLock { draw(&$0) } }
        resized.activate()
    }

    /// Gives the terminal back as it was.
    func leave() {
        resized.cancel()
        guard hasKeys else { return }
        KeyboardMode.leave()
        // The line of the keys.
        state.withLock { state in
            state.output.append(Array("\r\u{1B}[K".utf8))
            state.output.flush()
        }
    }

    /// Whether standard output is a terminal that can move its cursor. `TERM=dumb`, which editors
    /// set for the commands they run, is the usual name of one that can't.
    static var isThere: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Shows a table in place of the one before.
    ///
    /// - Returns: Whether it could be written.
    func show(_ table: HandlerTable) -> Bool {
        state.withLock { state in
            state.table = table
            draw(&state)
            return state.output.failure == nil
        }
    }

    private func readKeys() {
        let thread = Thread { [self] in
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 0 || count < 0 && errno != EINTR { return }
                if count == 1 { pressed(Character(UnicodeScalar(byte))) }
            }
        }
        thread.name = "keys"
        thread.start()
    }

    private func pressed(_ key: Character) {
        if key == "q" {
            leave()
            _exit(EXIT_SUCCESS)
        }
        state.withLock { state in
            if let order = RowOrder.allCases.first(where: { $0.key == key }) { state.order = order }
            draw(&state)
        }
    }

    /// The lines that say which keys there are.
    private static let keys =
        "keys: " + RowOrder.allCases.map { "\($0.key) \($0.words)" }.joined(separator: ", ")
        + "; q ends"

    private func draw(_ state: inout State) {
        guard let table = state.table?.sorted(by: state.order) else { return }
        let (height, width) = Self.size
        let rest = hasKeys ? "\(String(Self.keys.prefix(max(0, width - 1))))\r" : ""
        let text = table.text(height: max(0, height - (hasKeys ? 1 : 0)), width: width)
        // Moves to the top left corner, and clears the screen below.
        state.output.append(Array("\u{1B}[H\u{1B}[J\(text)\(rest)".utf8))
        state.output.flush()
    }

    /// The lines of the terminal and the characters of a line. Asked each time: it may have been
    /// resized.
    private static var size: (height: Int, width: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
            return (.max, .max)
        }
        // Some terminals do not know their width: their lines are not cut.
        return (Int(size.ws_row), size.ws_col > 0 ? Int(size.ws_col) : .max)
    }
}
