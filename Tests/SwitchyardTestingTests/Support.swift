// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting

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

/// The failure of an expectation that `body` throws.
func failure(_ body: () async throws -> Void) async -> ExpectationFailure? {
    do {
        try await body()
        return nil
    } catch {
        return error as? ExpectationFailure
    }
}
