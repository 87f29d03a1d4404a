// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// The posts of a center that are seen during one expectation: the matching ones, and, for the
/// failure's text, the others.
final class Sightings<Element>: @unchecked Sendable {
    // Sendable: mutable state is behind the lock of `state`. Elements are typed messages, which are
    // Sendable, or notifications, which cross threads unchecked, as with Apple's `queue:`.

    // Sendable: for the same reason as `Sightings`.
    private struct State: @unchecked Sendable {
        var elements: [Element] = []
        /// Descriptions of the elements that `where` refused.
        var refused: [String] = []
        /// The number of posts of the expected type about any subject; nil when nobody counts them.
        var ofAnySubject: Int?
        /// The descriptions of other posts, each with its number of posts, in the order of their
        /// first post.
        var others: [(topic: String, count: Int)] = []
    }

    /// The largest number of other or refused posts that a failure's text lists.
    private static var mostTold: Int { 12 }

    private let what: String
    private let origin: RegistrationSite
    private let matches: @Sendable (Element) -> Bool
    private let state = Guarded(State())
    private let tally = Tally()

    init(
        _ what: String, at origin: RegistrationSite,
        where matches: @escaping @Sendable (Element) -> Bool
    ) {
        self.what = what
        self.origin = origin
        self.matches = matches
    }

    /// The matching elements, in order of posting.
    var elements: [Element] { state.withLock { $0 }.elements }

    /// Records an element about the expected subject: as a match, or as refused by `where`.
    func see(_ element: Element) {
        guard matches(element) else {
            let words = String(describing: element)
            return state.withLock { $0.refused.append(words) }
        }
        nonisolated(unsafe) let element = element  // Handed over; see above.
        state.withLock { $0.elements.append(element) }
        tally.add(1)
    }

    /// Adds to the number of posts of the expected type about any subject.
    func countAnySubject(_ count: Int) {
        state.withLock { $0.ofAnySubject = ($0.ofAnySubject ?? 0) + count }
    }

    /// Records a notification for the failure's text. Beyond `mostTold` different ones, ignores new
    /// ones.
    func seeOther(_ notification: Notification) {
        let topic = notification.inWords
        state.withLock { state in
            if let index = state.others.firstIndex(where: { $0.topic == topic }) {
                state.others[index].count += 1
            } else if state.others.count < Self.mostTold {
                state.others.append((topic, 1))
            }
        }
    }

    /// Waits until `count` matching elements have come.
    func wait(
        for count: Int, within limit: Duration, on clock: any Clock<Duration>
    ) async throws {
        if try await tally.wait(for: count, within: limit, on: clock) { return }
        let state = state.withLock { $0 }
        let came = state.elements.isEmpty ? "none came" : "\(state.elements.count) came"
        throw ExpectationFailure(
            .timedOut,
            "\(origin): expected \(count == 1 ? "" : "\(count) × ")\(what) within \(limit); \(came). "
                + Self.meanwhile(state))
    }

    /// Fails if a matching element came.
    func expectNone() throws {
        let state = state.withLock { $0 }
        if state.elements.isEmpty { return }
        let words = state.elements.prefix(Self.mostTold).map { String(describing: $0) }
        throw ExpectationFailure(
            .unexpected,
            "\(origin): expected no \(what); \(state.elements.count) came: "
                + words.joined(separator: "; "))
    }

    /// Returns sentences about the posts that did not match.
    private static func meanwhile(_ state: State) -> String {
        var sentences: [String] = []
        if !state.refused.isEmpty {
            sentences.append(
                "`where` refused \(state.refused.count): "
                    + state.refused.prefix(mostTold).joined(separator: "; "))
        }
        if let all = state.ofAnySubject {
            let elsewhere = all - state.elements.count - state.refused.count
            if elsewhere > 0 { sentences.append("\(elsewhere) came about another object or none") }
        }
        if !state.others.isEmpty {
            let list = state.others.map { $0.count == 1 ? $0.topic : "\($0.count) × \($0.topic)" }
            sentences.append("Under names, this was posted: " + list.joined(separator: "; "))
        }
        if sentences.isEmpty {
            return "Nothing like it was posted meanwhile: was it posted at all, and on this center?"
        }
        return sentences.joined(separator: ". ") + "."
    }
}
