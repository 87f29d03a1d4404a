// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole

/// The numbers of lines that were read, delivered, printed and lost.
struct TailSummary {
    /// The error that ended the printing early; nil if there was none.
    let failure: SystemError?
    private let printed: Int
    private let files: [(name: String, posted: Int, delivered: Int)]

    init(_ files: [FollowedFile], printed: Int, failure: SystemError?) {
        self.printed = printed
        self.failure = failure
        self.files = files.map { ($0.name, $0.credit.posted, $0.credit.delivered) }
    }

    /// Whether the output's reader went away, which is not a failure of the command.
    var outputWasClosed: Bool { failure?.code == EPIPE }

    /// The summary's text: a line for each file, and one for all.
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
