// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Testing

@testable import SwitchyardCommands
@testable import SwitchyardInspection

/// The name that `explain` suggests in place of one that nobody observes.
@Suite("Near names") struct NearNameTests {
    private func nearest(to name: String, observed: String) -> String? {
        let registration = InspectedCenters.Registration(
            id: 1, sequence: 1, topic: "\"\(observed)\"", object: "any object", context: "main",
            file: "A.swift", line: 1, priority: 0, flags: [], delivered: 0, lost: 0, depth: 0)
        let centers = InspectedCenters([
            .init(number: 1, name: "c", expired: 0, registrations: [registration], findings: [])
        ])
        return Explanation(of: name, object: nil, in: centers).nearest
    }

    @Test func `A name is near if a quarter of its letters, or two of a short one, are others`() {
        #expect(nearest(to: "Tock", observed: "Tick") == "Tick")
        #expect(nearest(to: "Tock", observed: "Tack!") == "Tack!")
        #expect(nearest(to: "Tock", observed: "Saved") == nil)
        #expect(nearest(to: "ConverterAded", observed: "ConverterAdded") == "ConverterAdded")
        #expect(nearest(to: "Converter", observed: "ConverterAdded") == nil)
    }

    @Test func `A name of more than 200 bytes is compared with no other, and no other with it`() {
        let long = String(repeating: "n", count: 200)
        let other = "m" + long.dropFirst()
        #expect(nearest(to: long, observed: other) == other)
        #expect(nearest(to: long + "n", observed: long) == nil)
        #expect(nearest(to: long, observed: long + "n") == nil)
    }
}
