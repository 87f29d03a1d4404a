// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// The names that an observer of more than one hears.
enum HeardNames {
    case any
    case like(NamePattern)

    private static let pattern = "names like \""

    /// - Parameter topic: the observer's topic, as the process says it; nil if that is one name or
    ///   one message type.
    init?(_ topic: String) {
        if topic == "any name" {
            self = .any
        } else if topic.hasPrefix(Self.pattern),
            let pattern = NamePattern(String(topic.dropFirst(Self.pattern.count).dropLast()))
        {
            self = .like(pattern)
        } else {
            return nil
        }
    }

    func contains(_ name: String) -> Bool {
        switch self {
        case .any: true
        case .like(let pattern): pattern.matches(name)
        }
    }
}
