// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting

/// As long as what is waited for may take on a loaded machine, whose pool of threads is taken up by
/// other tests.
let aWhile = Duration.seconds(240)

extension Notification.Name {
    static let happened = Notification.Name("happened")
    static let other = Notification.Name("other")
}

final class Converter: Sendable {}

/// A message about a converter, or nothing.
struct ConverterAdded: NotificationMessage {
    typealias Subject = Converter
    var format = "RTF"
}

/// A message that has a name, too.
struct Renamed: NotificationCenter.AsyncMessage {
    typealias Subject = Converter
    static var name: Notification.Name { Notification.Name("renamed") }
    var number = 0
}

/// What was noted down, in order. Safe from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let storage = Guarded<[Entry]>([])
    var entries: [Entry] { storage.withLock { $0 } }
    func add(_ entry: Entry) { storage.withLock { $0.append(entry) } }
}

/// Runs `body` on a thread of its own; returns when it has ended.
func onThread(_ name: String, _ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let thread = Thread {
            ThreadName.current = name
            body()
            continuation.resume()
        }
        thread.start()
    }
}

/// What a failed expectation says.
func failure(_ body: () async throws -> Void) async -> ExpectationFailure? {
    do {
        try await body()
        return nil
    } catch {
        return error as? ExpectationFailure
    }
}
