// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// A subject that an account may not use, as a server's refusal names it.
struct RefusedSubject: Hashable, Sendable, CustomStringConvertible {
    /// The subject, or its beginning.
    let text: String
    /// Whether the end of the subject is missing.
    let isCut: Bool

    /// For reports: a subject that was cut ends with an ellipsis.
    var description: String { isCut ? text + "…" : text }

    /// Whether the refusal may be about a subject. If the end of the refused one is missing, all
    /// subjects count that begin in the same way: their first 200 bytes seldom have two endings.
    func covers(_ subject: String) -> Bool {
        isCut ? subject.utf8.starts(with: text.utf8) : subject == text
    }

    /// Whether the refusal may be about a subject that begins with a text.
    func mayBegin(with start: String) -> Bool {
        text.utf8.starts(with: start.utf8) || isCut && start.utf8.starts(with: text.utf8)
    }

    func hasPrefix(_ start: String) -> Bool { text.hasPrefix(start) }
}

extension Set<RefusedSubject> {
    /// Whether one of the refusals may be about a subject.
    func cover(_ subject: String) -> Bool {
        contains(RefusedSubject(text: subject, isCut: false))
            || contains { $0.isCut && $0.covers(subject) }
    }
}
#endif
