// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

extension Notification.Name {
    fileprivate static let added = Notification.Name("added")
    fileprivate static let removed = Notification.Name("removed")
    fileprivate static let printed = Notification.Name("printed")
}

private final class Document: Sendable {}

extension Situation {
    static let nameAndObject = Situation(
        name: "By name, by object, by both",
        promise: """
            An observer hears what has its name and comes from its object; one that leaves out the \
            name or the object hears any. Who matches nothing hears nothing.
            """
    ) { stage in
        let (center, letter, list) = (stage.center, Document(), Document())
        func hear(
            _ who: String, _ name: Notification.Name?, _ object: Document?
        ) -> NotificationCenter.ObservationToken {
            center.observe(name, of: object) { _ in stage.record("heard by: \(who)") }
        }
        let tokens = [
            hear("added, any object", .added, nil), hear("added, the letter", .added, letter),
            hear("any name, the letter", nil, letter), hear("any name, any object", nil, nil),
            hear("printed, any object", .printed, nil),
        ]
        defer { for token in tokens { token.cancel() } }
        func post(_ name: Notification.Name, _ what: String, _ object: Document?) {
            stage.record("posts \(name.rawValue), \(what)")
            center.post(name: name, object: object)
        }
        post(.added, "the letter", letter)
        post(.added, "the list", list)
        post(.removed, "the letter", letter)
        post(.added, "no object", nil)
        try stage.expect(nameAndObjectEvents)
    }
}

private let nameAndObjectEvents = [
    "posts added, the letter", "heard by: added, any object", "heard by: added, the letter",
    "heard by: any name, the letter", "heard by: any name, any object",
    "posts added, the list", "heard by: added, any object", "heard by: any name, any object",
    "posts removed, the letter", "heard by: any name, the letter",
    "heard by: any name, any object",
    "posts added, no object", "heard by: added, any object", "heard by: any name, any object",
].map { "tour: \($0)" }
