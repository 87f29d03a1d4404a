// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The name of a group in reports, in places where others have the name of a mailbox.
enum GroupLabel {
    private static let start = "the group \""

    static func label(of group: String) -> String { start + group + "\"" }

    /// Whether a name in a report is that of a group. The names of mailboxes begin otherwise.
    static func isLabel(_ name: String) -> Bool { name.hasPrefix(start) }
}
