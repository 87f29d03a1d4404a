// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardDistributed
internal import SwitchyardWire

/// The format in which notifications are printed.
struct NotificationPrinter: Sendable {
    /// Whether to print a JSON object. The other format is
    /// `name "object" {userInfo} from process (number)`.
    let asJSON: Bool
    /// Whether to print the time at which the notification came.
    let showsTime: Bool

    /// Appends a notification's line.
    func print(_ notification: ReceivedNotification, to text: inout ByteWriter) {
        if asJSON { printJSON(notification, to: &text) } else { printText(notification, to: &text) }
        text.append(UInt8(ascii: "\n"))
    }

    private func printJSON(_ notification: ReceivedNotification, to text: inout ByteWriter) {
        text.append(firstKey: "name")
        text.append(quoted: notification.name.rawValue)
        if let object = notification.object {
            text.append(key: "object")
            text.append(quoted: object)
        }
        if notification.payloadKind != .none { printJSON(payloadOf: notification, to: &text) }
        text.append(key: "sender")
        text.append(firstKey: "process")
        text.append(quoted: notification.sender.processName)
        text.append(key: "pid")
        text.append(decimal: notification.sender.processIdentifier)
        text.append("}")
        text.append(key: "sequence")
        text.append(decimal: notification.sequence)
        if showsTime {
            text.append(key: "time")
            text.append(quoted: TimeStamp.now())
        }
        text.append("}")
    }

    private func printJSON(
        payloadOf notification: ReceivedNotification, to text: inout ByteWriter
    ) {
        let start = text.count
        do {
            text.append(key: "userInfo")
            try Self.append(notification, to: &text)
        } catch {
            text.truncate(to: start)
            text.append(key: "problem")
            text.append(quoted: "\(error)")
        }
    }

    private func printText(_ notification: ReceivedNotification, to text: inout ByteWriter) {
        if showsTime {
            text.append(string: TimeStamp.now())
            text.append(" ")
        }
        text.append(word: notification.name.rawValue)
        if let object = notification.object {
            text.append(" ")
            text.append(quoted: object)
        }
        if notification.payloadKind != .none {
            text.append(" ")
            do {
                try Self.append(notification, to: &text)
            } catch {
                text.append("(")
                text.append(text: "\(error)")
                text.append(")")
            }
        }
        text.append(" from ")
        text.append(title: notification.sender.processName)
        text.append(" (")
        text.append(decimal: notification.sender.processIdentifier)
        text.append(")")
    }

    /// Appends the payload, without copying it first.
    private static func append(
        _ notification: ReceivedNotification, to text: inout ByteWriter
    ) throws {
        let kind = notification.payloadKind
        try notification.withUnsafeBytes { try text.append(json: $0, kind) }
    }
}

extension ByteWriter {
    /// Appends a name as it is, or as a JSON string if it is not a word.
    fileprivate mutating func append(word name: String) {
        if name.isWord { append(string: name) } else { append(quoted: name) }
    }

    /// Appends a process's name as it is, or as a JSON string if a part of it is not a word.
    fileprivate mutating func append(title name: String) {
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        if words.allSatisfy(\.isWord) { append(string: name) } else { append(quoted: name) }
    }
}

extension StringProtocol {
    /// Whether the text is a word: not empty, and printable ASCII without spaces and quotation
    /// marks.
    fileprivate var isWord: Bool {
        !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 < 0x7F }
    }
}

/// The time of day in ISO 8601.
enum TimeStamp {
    private static let format = Date.ISO8601FormatStyle(
        includingFractionalSeconds: true, timeZone: .current)

    static func now() -> String { Date.now.formatted(format) }
}
