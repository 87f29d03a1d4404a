// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// What was read, and what became of it.
struct TailSummary {
    /// Why printing ended early.
    let failure: SystemError?
    private let printed: Int
    private let files: [(name: String, posted: Int, delivered: Int)]

    init(_ files: [FollowedFile], printed: Int, failure: SystemError?) {
        self.printed = printed
        self.failure = failure
        self.files = files.map { ($0.name, $0.credit.posted, $0.credit.delivered) }
    }

    /// Whether the reader of the output went away: nothing to complain of.
    var outputWasClosed: Bool { failure?.code == EPIPE }

    /// A line for each file, and one for all.
    var description: String {
        let posted = files.reduce(0) { $0 + $1.posted }
        let delivered = files.reduce(0) { $0 + $1.delivered }
        let lines = files.map {
            "\($0.name): \($0.delivered)" + ($0.delivered == 1 ? " line" : " lines")
        }
        let total =
            "posted: \(posted), delivered: \(delivered), printed: \(printed), "
            + "lost: \(posted - delivered)"
        return (lines + [total]).joined(separator: "\n")
    }
}
