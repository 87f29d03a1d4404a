// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import Synchronization
internal import ThreadNames

private struct Tick: NotificationMessage {}

/// An observer that sleeps in its handler, and then writes a property.
private final class Sleeper: @unchecked Sendable {
    // Sendable: only the handler writes `value`, and `deinit` comes after it.
    private var value = 0
    private let stage: Stage
    let isAsleep = DispatchSemaphore(value: 0)

    init(_ stage: Stage) { self.stage = stage }

    deinit { stage.record("deinit, with value \(value)") }

    func tick(_ message: Tick) {
        stage.record("the handler sleeps")
        isAsleep.signal()
        // The sleep makes this the slow observer of the situation.
        Thread.sleep(forTimeInterval: 0.1)
        value = 42
        stage.record("the handler writes 42")
    }
}

extension Situation {
    static let lastReferenceOnPoster = Situation(
        name: "The last reference goes while the handler sleeps",
        promise: """
            A handler never meets a deallocated observer: what it writes lands, and deinit comes \
            after it, on the posting thread.
            """
    ) { stage in
        try dropWhileAsleep(stage, on: .poster, handledOn: "poster")
    }

    static let lastReferenceOnOwnThread = Situation(
        name: "The same, for an observer with a thread of its own",
        promise: """
            An observer with a thread of its own becomes strong there only, so its deinit comes \
            there as well, and never moves to the posting thread.
            """
    ) { stage in
        let thread = stage.thread("owner")
        try dropWhileAsleep(stage, on: .thread(thread), handledOn: "owner")
    }
}

private func dropWhileAsleep(
    _ stage: Stage, on context: DeliveryContext, handledOn place: String
) throws {
    let sleeper = Sleeper(stage)
    let isAsleep = sleeper.isAsleep
    stage.center.observe(Tick.self, with: sleeper, Sleeper.tick, on: context)
    // The only reference, so that it is released exactly where `last` is set to nil, whatever the
    // optimiser does.
    let last = Mutex<Sleeper?>(consume sleeper)
    ThreadName.queue("poster").async {
        stage.record("posts")
        stage.center.post(Tick())
    }
    try stage.wait(for: isAsleep, "the handler's start")
    stage.record("drops the last reference")
    last.withLock { $0 = nil }
    try stage.expect([
        "poster: posts", "\(place): the handler sleeps", "tour: drops the last reference",
        "\(place): the handler writes 42", "\(place): deinit, with value 42",
    ])
}
