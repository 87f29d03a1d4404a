// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardInspection
internal import SwitchyardWire

/// The observers that would hear a notification, those that would not, and why.
struct Explanation {
    /// One registration that observes the name, or any.
    struct Entry: Encodable, Equatable {
        var center: String
        var handler: String
        var context: String
        var hears: Bool
        /// The reason for which it would not hear the notification; nil if it would.
        var reason: String?
        /// The things that keep it, or others, from hearing every post; nil if there are none.
        var note: String?
    }

    let name: String
    let object: String?
    let entries: [Entry]
    /// The name that is nearest to one that nobody observes; nil if none is near.
    let nearest: String?

    var isHeard: Bool { entries.contains { $0.hears } }

    init(of name: String, object: String?, in centers: InspectedCenters) {
        self.name = name
        self.object = object
        // A message type may be given with its module or without it.
        let topics = Set(
            ["\"\(name)\"".beginningOfShortText, name.beginningOfShortText]
                + centers.centers.flatMap { $0.registrations.map(\.topic) }
                .filter { !$0.hasPrefix("\"") && $0.hasSuffix(".\(name)") })
        let known = Set(centers.centers.flatMap { $0.registrations.map(\.topic) })
        // Observers of all names hear no typed messages.
        let isType =
            !known.contains("\"\(name)\"".beginningOfShortText) && !known.isDisjoint(with: topics)
        entries = centers.centers.flatMap { center in
            center.registrations.inOrderOfDelivery.compactMap { registration in
                guard
                    topics.contains(registration.topic)
                        || !isType && registration.hearsAmongOthers(name)
                else { return nil }
                return Entry(center.name, registration, object)
            }
        }
        let isHeard = entries.contains { $0.hears }
        let near =
            isHeard ? nil : Self.observedNames(in: centers).nearest(to: name, comparing: 200_000)
        nearest = near == name ? nil : near
    }

    /// A sentence for each topic that was posted and that nobody heard, the most frequent first.
    static func findings(
        ofUnheard topics: [String: Int], in centers: InspectedCenters
    ) -> [String] {
        unheard(topics, in: centers).map(\.text)
    }

    /// The topics that were posted and that nobody heard, the most frequent first, with a sentence
    /// for each.
    static func unheard(
        _ topics: [String: Int], in centers: InspectedCenters
    ) -> [(topic: String, text: String)] {
        let frequent = topics.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if frequent.isEmpty { return [] }
        let names = observedNames(in: centers)
        // Looking for a near name takes a while.
        var findings = frequent.prefix(mostUnheard).map { topic, count in
            (topic, finding(ofUnheard: topic, count, in: centers, names))
        }
        if let first = frequent.dropFirst(mostUnheard).first {
            let more = frequent.count - mostUnheard
            let names = more == 1 ? "1 more name that was" : "\(more) more names that were"
            findings.append((first.key, "nobody hears \(names) posted"))
        }
        return findings
    }

    private static func finding(
        ofUnheard topic: String, _ count: Int, in centers: InspectedCenters,
        _ names: NearNames
    ) -> String {
        let name = unquoted(topic)
        var (isObserved, isHeardAmongOthers) = (false, false)
        for registration in centers.centers.lazy.flatMap(\.registrations) {
            // Traces have the beginnings of long texts.
            if registration.topic.prefix(TraceTopics.longestText) == topic { isObserved = true }
            if topic.hasPrefix("\""), registration.hearsAmongOthers(name) {
                isHeardAmongOthers = true
            }
        }
        // The name may be misspelt although another center has an observer of all names.
        var near = isObserved ? nil : names.nearest(to: name, comparing: mostCompared / mostUnheard)
        if near == name { near = nil }
        let times = count == 1 ? "once" : "\(count) times"
        if isObserved || isHeardAmongOthers {
            let posts = count == 1 ? "1 post of \(topic)" : "\(count) posts of \(topic)"
            return
                "\(posts) reached nobody: those who observe it were registered later, or "
                + "observe other objects, or another center" + hint(near)
        }
        return "nobody hears \(topic), which was posted \(times)" + hint(near)
    }

    private static func hint(_ near: String?) -> String {
        near.map { "; the nearest name that is observed is \"\($0)\"" } ?? ""
    }

    /// The name of a topic of a trace, without quotation marks: a long one is cut off without the
    /// second.
    private static func unquoted(_ topic: String) -> String {
        guard topic.hasPrefix("\"") else { return topic }
        let name = topic.dropFirst()
        return String(name.hasSuffix("\"") ? name.dropLast() : name)
    }

    private static let mostUnheard = 10
    /// The comparisons for a table: one may be shown every second.
    private static let mostCompared = 20_000

    private static func observedNames(in centers: InspectedCenters) -> NearNames {
        let topics = Set(centers.centers.lazy.flatMap(\.registrations).map(\.topic))
        return NearNames(Set(topics.map(unquoted)))
    }

    var text: String {
        let what = "\"\(name.shown)\"" + (object.map { ", object \($0.shown)" } ?? "")
        if entries.isEmpty {
            return "nobody observes \(what)\(Self.hint(nearest?.shown))\n"
        }
        let (hearers, others) = (entries.filter(\.hears), entries.filter { !$0.hears })
        let hint = Self.hint(nearest?.shown)
        var text =
            hearers.isEmpty ? "nobody would hear \(what)\(hint)\n" : "\(what) would be heard by\n"
        for (number, entry) in hearers.enumerated() {
            text += "  \(number + 1). \(entry.handler.shown), on \(entry.context.shown), "
            text += entry.center.shown + (entry.note.map { ": \($0.shown)" } ?? "") + "\n"
        }
        if !others.isEmpty { text += "and not by\n" }
        for entry in others {
            text +=
                "  - \(entry.handler.shown), \(entry.center.shown): \(entry.reason?.shown ?? "")\n"
        }
        return text
    }
}

extension Explanation.Entry {
    fileprivate init(
        _ center: String, _ registration: InspectedCenters.Registration, _ object: String?
    ) {
        self.center = center
        handler =
            registration.line == 0 ? registration.file : "\(registration.file):\(registration.line)"
        context = registration.context
        note = registration.note
        let wanted = registration.object
        if let reason = registration.reasonForNoCall {
            (hears, self.reason) = (false, reason)
        } else if wanted == "any object" {
            (hears, reason) = (true, nil)
        } else if let object, wanted == "object \(object)" {
            hears = registration.flags.contains(.objectIsString)
            // A number, say, has the text of a string.
            reason = hears ? nil : "it observes \(wanted) alone, which is no string"
        } else if registration.flags.contains(.objectIsGone) {
            (hears, reason) = (false, "the object that it observes has died (\(wanted))")
        } else {
            (hears, reason) = (false, "it observes \(wanted) alone")
        }
    }
}

extension InspectedCenters.Registration {
    /// Whether it hears a name because it observes any, or a pattern that the name fits.
    fileprivate func hearsAmongOthers(_ name: String) -> Bool {
        HeardNames(topic)?.contains(name) == true
    }

    /// The reasons for which the observer, or the observers behind it, may not hear every post; nil
    /// if there are none.
    fileprivate var note: String? {
        var notes: [String] = []
        if !group.isEmpty { notes.append("one of the group \"\(group)\" hears each") }
        if flags.contains(.paused) { notes.append("it is paused, and hears them later") }
        if filtered > 0 {
            notes.append("its condition has turned away \(filtered) posts")
        }
        if consumed > 0 {
            notes.append("it has consumed \(consumed) posts, which those behind it did not hear")
        }
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    /// The reason for which its handler is not called, whatever is posted.
    fileprivate var reasonForNoCall: String? {
        if flags.contains(.contextHasEnded) { return "its context, \(context), has ended" }
        if flags.contains(.observerIsGone) { return "the object whose method is called has died" }
        return nil
    }
}

extension [InspectedCenters.Registration] {
    /// The elements by priority, then in the order of registration.
    fileprivate var inOrderOfDelivery: [Element] {
        sorted { ($0.priority, $1.sequence) > ($1.priority, $0.sequence) }
    }
}
