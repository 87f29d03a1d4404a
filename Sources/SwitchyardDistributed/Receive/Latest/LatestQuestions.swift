// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The questions of a process for latest values.
struct LatestQuestions: Sendable {
    /// The questions that were asked, or will be: they are asked again when values may have been missed.
    private(set) var all: Set<DistributedInterest> = []
    /// The questions that have not been asked.
    private var due: Set<DistributedInterest> = []
    /// Whether somebody is about to ask.
    private var isAsking = false
    /// Whether an answer was passed over, so that its question has to be asked again.
    private var hasMissed = false

    /// Adds questions.
    ///
    /// - Returns: Whether the caller has to ask, with ``takeDue()``: false if somebody else is about to.
    mutating func ask(_ questions: Set<DistributedInterest>) -> Bool {
        all.formUnion(questions)
        due.formUnion(questions)
        if due.isEmpty || isAsking { return false }
        isAsking = true
        return true
    }

    /// Adds all questions once more; otherwise like ``ask(_:)``.
    mutating func askAgain() -> Bool { ask(all) }

    /// Removes and returns the questions that have not been asked.
    mutating func takeDue() -> Set<DistributedInterest> {
        defer { (due, isAsking) = ([], false) }
        return due
    }

    /// Forgets the questions of observers that have gone.
    mutating func keep(_ observed: Set<DistributedInterest>) {
        all.formIntersection(observed)
        due.formIntersection(observed)
    }

    /// Takes note that an answer was passed over.
    mutating func miss() { hasMissed = true }

    /// Whether an answer was passed over since the last call.
    mutating func takeHasMissed() -> Bool {
        defer { hasMissed = false }
        return hasMissed
    }
}
