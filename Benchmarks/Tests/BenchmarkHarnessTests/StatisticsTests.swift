// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Testing

struct StatisticsTests {
    @Test func `The median is the value in the middle, or the mean of the two there`() {
        #expect(Statistics.median([3, 1, 2]) == 2)
        #expect(Statistics.median([4, 1, 3, 2]) == 2.5)
        #expect(Statistics.median([]) == nil)
    }

    @Test(arguments: [
        (0.0, "0"), (1.596, "1.6"), (18.04, "18"), (161.4, "161"), (41_250, "41,250"),
    ])
    func `Figures have three digits that count`(value: Double, text: String) {
        #expect(Figure.text(value) == text)
    }

    @Test func `Small ratios keep their digits`() {
        #expect(Figure.ratio(0.0631) == "0.063")
    }
}
