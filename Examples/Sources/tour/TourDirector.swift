// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Synchronization
internal import ThreadNames

/// Plays situations one after the other. Each runs on a thread of its own while the main thread
/// runs its run loop, so that a situation that hangs counts as failed, and the tour goes on.
@MainActor
struct TourDirector {
    /// Plays `situation` and returns its outcome.
    func play(_ situation: Situation) -> TourOutcome {
        let stage = Stage()
        let played = Played()
        let thread = Thread {
            ThreadName.set("tour")
            do {
                try situation.play(stage)
                played.end(complaint: nil)
            } catch {
                played.end(complaint: (error as? BrokenPromise)?.complaint ?? "\(error)")
            }
        }
        thread.start()
        // The situation's own waits end a little earlier, with a better complaint.
        let deadline = Date(timeIntervalSinceNow: Stage.patience + 0.5)
        while !played.hasEnded, deadline.timeIntervalSinceNow > 0 {
            _ = RunLoop.main.run(mode: .default, before: deadline)
        }
        return TourOutcome(
            situation, events: stage.recorder.events, complaint: played.complaint)
    }

    /// Ends the process if the main thread hangs in a handler, because nothing else could.
    func watchMain() {
        let limit = Double(Situation.all.count + 1) * (Stage.patience + 1)
        DispatchQueue.global().asyncAfter(deadline: .now() + limit) {
            FileHandle.standardError.write(Data("tour: the main thread hangs\n".utf8))
            exit(1)
        }
    }
}

/// The state of a situation: whether it is over, and how it ended.
private final class Played: Sendable {
    private let state = Mutex<(hasEnded: Bool, complaint: String?)>((false, nil))

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The reason for the failure; nil if everything held.
    var complaint: String? {
        state.withLock { state in
            state.hasEnded ? state.complaint : "it was not over within \(Stage.patience) s"
        }
    }

    func end(complaint: String?) {
        state.withLock { $0 = (true, complaint) }
        // An empty block makes the main run loop return.
        DispatchQueue.main.async {}
    }
}
