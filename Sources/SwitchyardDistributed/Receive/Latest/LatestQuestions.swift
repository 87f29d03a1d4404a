// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The questions of a process for latest values.
struct LatestQuestions: Sendable {
    /// The questions that were asked, or will be: they are asked again when values may have been
    /// missed.
    private(set) var all: Set<DistributedInterest> = []
    /// The questions that nobody has taken to ask them.
    private var due: Set<DistributedInterest> = []
    /// Whether somebody asks what is due.
    private var isAsking = false
    /// The questions that some process may not have heard.
    private var doubtful: Set<DistributedInterest> = []
    /// Whether somebody asks them again once all processes can hear them.
    private var isRepeating = false
    /// Whether an answer was passed over, so that its question has to be asked again.
    private var hasMissed = false

    /// Adds questions.
    ///
    /// - Returns: Whether the caller has to ask them, with ``takeDue(of:)``: false if somebody does
    ///   already.
    mutating func ask(_ questions: Set<DistributedInterest>) -> Bool {
        all.formUnion(questions)
        due.formUnion(questions)
        if due.isEmpty || isAsking { return false }
        isAsking = true
        return true
    }

    /// Adds all questions once more; otherwise like ``ask(_:)``.
    mutating func askAgain() -> Bool { ask(all) }

    /// Takes the questions that are due, as far as they are `observed` still. Once there are none,
    /// the caller is done.
    mutating func takeDue(of observed: Set<DistributedInterest>) -> Set<DistributedInterest>? {
        all.formIntersection(observed)
        defer { due = [] }
        isAsking = !due.isDisjoint(with: observed)
        return isAsking ? due.intersection(observed) : nil
    }

    /// Takes note that some process may not have heard questions.
    ///
    /// - Returns: Whether the caller has to ask them again, with ``takeDoubtful()``.
    mutating func doubt(_ questions: Set<DistributedInterest>) -> Bool {
        doubtful.formUnion(questions)
        defer { isRepeating = true }
        return !isRepeating
    }

    /// Takes the questions that some process may not have heard.
    mutating func takeDoubtful() -> Set<DistributedInterest> {
        defer { (doubtful, isRepeating) = ([], false) }
        return openDoubtful
    }

    /// The questions that some process may not have heard, and that are still asked.
    var openDoubtful: Set<DistributedInterest> { doubtful.intersection(all) }

    /// Takes note that an answer was passed over.
    mutating func miss() { hasMissed = true }

    /// Adds all questions once more if an answer was passed over since the last call; otherwise
    /// like ``ask(_:)``.
    mutating func askForMissed() -> Bool {
        defer { hasMissed = false }
        return hasMissed && askAgain()
    }
}
