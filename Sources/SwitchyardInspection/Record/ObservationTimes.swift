// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension DeliveryTimes {
    /// The times of one observation, in seconds.
    package struct Times: Equatable {
        /// From the post to the beginning of the handler, of deliveries through a mailbox.
        package private(set) var waits: [Double] = []
        /// From the beginning of the handler to its end.
        package private(set) var takes: [Double] = []
        /// The times of the calls that the main thread made inline, in its posts.
        package private(set) var inlineOnMain: [Double] = []
        /// The calls and waits that were long, with when they were.
        private var longCalls: [Span] = []
        private var longWaits: [Span] = []

        /// The seconds from which on a call or wait is long: others of the thread notice it.
        package static let long = 0.1

        /// A span of time, in seconds since the system's start.
        private struct Span: Equatable {
            let begin: Double
            let end: Double

            /// The seconds that lie in both.
            func shared(with other: Span) -> Double {
                max(0, min(end, other.end) - max(begin, other.begin))
            }
        }

        package init() {}

        /// Adds a call of the handler.
        ///
        /// - Parameters:
        ///   - took: the seconds that it took.
        ///   - waited: the seconds that the delivery waited before it; nil if it did not come through
        ///     a mailbox, or that is not known.
        ///   - end: its end, in nanoseconds since the system's start.
        ///   - isInlineOnMain: whether the main thread made it inline, in a post.
        package mutating func add(
            took: Double, waited: Double?, end: UInt64, isInlineOnMain: Bool = false
        ) {
            let end = Double(end) / 1e9
            takes.append(took)
            if took >= Self.long { longCalls.append(Span(begin: end - took, end: end)) }
            if isInlineOnMain { inlineOnMain.append(took) }
            guard let waited else { return }
            waits.append(waited)
            if waited >= Self.long {
                longWaits.append(Span(begin: end - took - waited, end: end - took))
            }
        }

        package static func += (sum: inout Times, other: Times) {
            sum.waits += other.waits
            sum.takes += other.takes
            sum.inlineOnMain += other.inlineOnMain
            sum.longCalls += other.longCalls
            sum.longWaits += other.longWaits
        }

        /// The longest time that one of these deliveries waited while a handler with other times was
        /// in long calls.
        package func longestWait(duringCallsOf other: Times) -> Double {
            longWaits.reduce(0) { longest, wait in
                max(longest, other.longCalls.reduce(0) { $0 + $1.shared(with: wait) })
            }
        }

        /// The time that 99 of 100 do not exceed, by the nearest rank: of a hundred times the last
        /// but one. Nil without any.
        package static func slowest(of times: [Double]) -> Double? {
            let sorted = times.sorted()
            return sorted.isEmpty ? nil : sorted[(sorted.count * 99 + 99) / 100 - 1]
        }
    }
}
