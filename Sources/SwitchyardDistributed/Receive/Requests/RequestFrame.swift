// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The notifications by which centers exchange requests and answers. Observers never get them.
///
/// To transports, these are ordinary notifications with property lists as payloads.
/// `docs/wire-protocol.md` lists them.
enum RequestFrame {
    /// A request.
    struct Ask {
        let number: UInt64
        let wanted: WantedAnswers
        let subject: String?
        let data: [UInt8]

        init(_ number: UInt64, _ wanted: WantedAnswers, _ subject: String?, _ data: [UInt8]) {
            self.number = number
            self.wanted = wanted
            self.subject = subject
            self.data = data
        }

        init?(_ info: [AnyHashable: Any]) {
            guard let number = RequestFrame.number(info["ask"]), let data = info["data"] as? Data,
                let wanted = (info["wanted"] as? String).flatMap(WantedAnswers.init(rawValue:)),
                info["subject"] == nil || info["subject"] is String
            else { return nil }
            self.init(number, wanted, info["subject"] as? String, Array(data))
        }

        var info: [AnyHashable: Any] {
            var info: [AnyHashable: Any] = [
                "ask": Int(clamping: number), "wanted": wanted.rawValue, "data": Data(data),
            ]
            info["subject"] = subject
            return info
        }
    }

    /// Says that a request is over: nobody else is to be asked.
    struct Over {
        let number: UInt64

        init(_ number: UInt64) { self.number = number }

        init?(_ info: [AnyHashable: Any]) {
            guard let number = RequestFrame.number(info["over"]) else { return nil }
            self.number = number
        }

        var info: [AnyHashable: Any] { ["over": Int(clamping: number)] }
    }

    /// An answer, or an error in its place.
    struct Answer {
        enum Content {
            case reply([UInt8])
            case error(String)
        }

        let number: UInt64
        let content: Content
        let priority: Int
        let sequence: UInt64
        /// Whether the process has no other.
        let isLast: Bool

        init(to number: UInt64, _ content: Content, ranked rank: AnswerRank, isLast: Bool) {
            self.number = number
            self.content = content
            self.isLast = isLast
            (priority, sequence) = (rank.priority, rank.sequence)
        }

        init?(_ info: [AnyHashable: Any]) {
            guard let number = RequestFrame.number(info["answers"]),
                let priority = info["priority"] as? Int,
                let sequence = RequestFrame.number(info["sequence"])
            else { return nil }
            if let data = info["data"] as? Data {
                content = .reply(Array(data))
            } else if let error = info["error"] as? String {
                content = .error(error)
            } else {
                return nil
            }
            self.number = number
            self.priority = priority
            self.sequence = sequence
            isLast = info["isLast"] as? Bool == true
        }

        var info: [AnyHashable: Any] {
            var info: [AnyHashable: Any] = [
                "answers": Int(clamping: number), "priority": priority,
                "sequence": Int(clamping: sequence),
            ]
            switch content {
            case .reply(let data): info["data"] = Data(data)
            case .error(let error): info["error"] = error
            }
            if isLast { info["isLast"] = true }
            return info
        }
    }

    /// Says that no answer of this process comes any more.
    struct Done {
        let number: UInt64
        /// The number of answers and errors that the process has sent.
        var answers = 0
        /// The number of observers that were not asked, because their bounds lost or refused the
        /// request.
        var notAsked = 0
        /// The labels of the contexts that have ended with the request.
        var ended: [String] = []

        init(with number: UInt64) { self.number = number }

        init?(_ info: [AnyHashable: Any]) {
            guard let number = RequestFrame.number(info["done"]),
                let answers = info["sent"] as? Int,
                let notAsked = info["notAsked"] as? Int, let ended = info["ended"] as? [String]
            else { return nil }
            self.number = number
            self.answers = answers
            self.notAsked = notAsked
            self.ended = ended
        }

        var info: [AnyHashable: Any] {
            [
                "done": Int(clamping: number), "sent": answers, "notAsked": notAsked,
                "ended": ended,
            ]
        }
    }

    private static func number(_ value: Any?) -> UInt64? {
        (value as? Int).flatMap { UInt64(exactly: $0) }
    }
}
