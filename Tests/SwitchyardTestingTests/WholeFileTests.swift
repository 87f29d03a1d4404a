// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The whole test file of the article "Testing code that posts and observes".

import Switchyard
import SwitchyardTesting
import Testing

private struct ConverterCame: NotificationMessage {
    let format: String
}

private struct Workshop: Sendable {
    var center = NotificationCenter.default

    func add(_ format: String) { center.post(ConverterCame(format: format)) }
}

@Suite("The article's test file", .timeLimit(.minutes(5))) struct WholeFileTests {
    @Test func `A workshop tells of a converter that came`() async throws {
        let center = NotificationCenter()
        let workshop = Workshop(center: center)
        let message = try await center.expect(ConverterCame.self) { workshop.add("RTF") }
        #expect(message.format == "RTF")
    }
}
