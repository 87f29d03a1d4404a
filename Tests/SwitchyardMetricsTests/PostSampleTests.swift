// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
import SwitchyardCore
import Testing

@testable import SwitchyardMetrics

@Suite("Figures of trace events") struct PostSampleTests {
    private let topics: [UInt64: String] = [7: "A"]
    private let posted = TraceEvent(.posted, ticks: 1, post: 1, subject: 7, weight: 4)

    private func figures(
        _ events: [TraceEvent], _ samples: inout PostSamples
    ) -> [String: Int] {
        samples.take(events, topics: topics, nanosecondsOfTick: 1).posts
    }

    @Test func `A post of another process is not counted, whenever that is known`() {
        var samples = PostSamples()
        let received = TraceEvent(.received, ticks: 2, post: 1)
        let both = figures([posted, received], &samples)
        #expect(both.isEmpty)
        // The first reading ends between the two events.
        let first = figures([posted], &samples)
        #expect(first == ["A": 4])
        let second = figures([received], &samples)
        #expect(second.isEmpty)
        let own = (2...3).map { TraceEvent(.posted, ticks: 3, post: $0, subject: 7, weight: 4) }
        let third = figures(own, &samples)
        #expect(third == ["A": 4])
    }
}
#endif
