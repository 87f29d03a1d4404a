// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import SwitchyardDistributed
import Testing

@testable import SwitchyardNATS

/// Names and objects as subjects.
@Suite struct SubjectMapTests {
    let map = SubjectMap(domain: "default")

    @Test(arguments: [
        ("org.example.Saved", "text", "text.org.example.Saved"),
        ("Saved", nil, "-.Saved"),
        ("Saved", "-", "%2D.Saved"),
        ("Saved", "", "%.Saved"),
        ("", nil, "-.%"),
        (".", "a.b", "a%2Eb.%.%"),
        ("a..b", "x y", "x%20y.a.%.b"),
        ("a*b.>", "100%", "100%25.a%2Ab.%3E"),
        ("Grüße", "\n", "%0A.Grüße"),
        ("%", "%2E", "%252E.%25"),
        // A dot and a mark behind it are one character.
        ("Saved", "\u{301}x", "\u{301}x.Saved"),
        ("\u{301}x", nil, "-.\u{301}x"),
        ("a", "\u{600}", "\u{600}.a"),
    ])
    func `A name and an object are a subject, and come back out of it`(
        name: String, object: String?, subject: String
    ) throws {
        #expect(map.subject(name: name, object: object) == "switchyard.default." + subject)
        let parsed = try #require(map.parse("switchyard.default." + subject))
        #expect(parsed.name == name)
        #expect(parsed.object == object)
    }

    @Test func `Two different short texts are never the same subject`() {
        let letters = ["", "a", "-", ".", "%", "*", ">", " ", "2", "D", "E"]
        var subjects: [String: String] = [:]
        for first in letters {
            for second in letters {
                for third in letters {
                    let text = first + second + third
                    for (name, object) in [(text, nil), ("n", text), (text, text)]
                        as [(String, String?)]
                    {
                        let subject = map.subject(name: name, object: object)
                        let words = "\(name)|\(object ?? "nil")"
                        #expect((subjects[subject] ?? words) == words)
                        subjects[subject] = words
                        let parsed = map.parse(subject)
                        #expect(parsed?.name == name && parsed?.object == object)
                    }
                }
            }
        }
    }

    @Test(arguments: [
        (nil, nil, ">"), ("a.b", nil, "*.a.b"), ("a.b", "o", "o.a.b"), (nil, "o.p", "o%2Ep.>"),
    ])
    func `An observer's names and objects become a pattern that servers filter by`(
        name: String?, object: String?, pattern: String
    ) {
        let interest = DistributedInterest(name: name, object: object)
        #expect(map.pattern(for: interest) == "switchyard.default." + pattern)
    }

    @Test(arguments: [
        "switchyard.default", "switchyard.default.", "switchyard.default.text",
        "switchyard.other.a.b",
        "switchyard.default.a..b", "switchyard.default.a.%2", "switchyard.default.a.%zz",
        "switchyard.default.a.%FF",
    ])
    func `A subject that is no notification's of the domain is none`(subject: String) {
        #expect(map.parse(subject) == nil)
    }

    @Test func `A domain is one token`() {
        #expect(SubjectMap(domain: "org.example").root == "switchyard.org%2Eexample.")
    }

    // MARK: - Subscriptions

    private func interest(_ name: String?, _ object: String?) -> DistributedInterest {
        DistributedInterest(name: name, object: object)
    }

    @Test func `Subscriptions cover all observers, and no subject twice`() {
        let names: [String?] = [nil, "a", "b"]
        let objects: [String?] = [nil, "x", "y"]
        let all = names.flatMap { name in objects.map { interest(name, $0) } }
        func matches(_ interest: DistributedInterest, _ name: String, _ object: String?) -> Bool {
            (interest.name == nil || interest.name == name)
                && (interest.object == nil || interest.object == object)
        }
        for bits in 0..<(1 << all.count) {
            let interests = Set(all.indices.filter { bits & 1 << $0 != 0 }.map { all[$0] })
            let plan = SubscriptionPlan.cover(interests)
            for name in ["a", "b", "c"] {
                for object in [nil, "x", "y", "z"] as [String?] {
                    let count = plan.count { matches($0, name, object) }
                    #expect(count <= 1)
                    if interests.contains(where: { matches($0, name, object) }) {
                        #expect(count == 1)
                    }
                }
            }
        }
    }
}
#endif
