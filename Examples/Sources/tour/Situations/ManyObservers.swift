// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

extension Notification.Name {
    fileprivate static let opened = Notification.Name("documentOpened")
    fileprivate static let closed = Notification.Name("documentClosed")
}

/// An object with two observing methods.
private final class Watcher: Sendable {
    private let name: String
    private let stage: Stage

    init(_ name: String, _ stage: Stage, on thread: DeliveryThread) {
        self.name = name
        self.stage = stage
        stage.center.observe(.opened, with: self, Watcher.opened, on: .thread(thread))
        stage.center.observe(.closed, with: self, Watcher.closed, on: .thread(thread))
    }

    func opened(_ notification: Notification) { stage.record("\(name) hears: opened") }
    func closed(_ notification: Notification) { stage.record("\(name) hears: closed") }
}

extension Situation {
    static let manyObservers = Situation(
        name: "Many observers, many methods, many threads",
        promise: """
            One queue for each thread delivers to several observer objects and methods there, in \
            the order of posting; the threads do not wait for each other.
            """
    ) { stage in
        let left = stage.thread("left")
        let right = stage.thread("right")
        let watchers = [
            Watcher("Ann", stage, on: left), Watcher("Ben", stage, on: left),
            Watcher("Cleo", stage, on: right),
        ]
        defer { withExtendedLifetime(watchers) {} }
        for name in [Notification.Name.opened, .closed, .opened] {
            stage.record("posts \(name.rawValue)")
            stage.center.post(name: name, object: nil)
        }
        let leftHears = ["opened", "closed", "opened"].flatMap {
            ["Ann hears: \($0)", "Ben hears: \($0)"]
        }
        try stage.expect(on: "left", leftHears, ofTotal: 12)
        try stage.expect(
            on: "right", ["Cleo hears: opened", "Cleo hears: closed", "Cleo hears: opened"],
            ofTotal: 12)
        let contexts = Set(stage.center.snapshot().entries.map(\.context))
        try stage.expect(contexts.count == 2, "six methods wait in \(contexts.count) mailboxes")
    }
}
