// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed

extension Notification.Name {
    static let saved = Notification.Name("org.example.Saved")
    static let printed = Notification.Name("org.example.Printed")
    static let mode = Notification.Name("org.example.Mode")
    static let job = Notification.Name("org.example.Job")
}

/// A page was added to a document.
struct PageAdded: DistributedMessage {
    static let name = Notification.Name("org.example.PageAdded")
    var number: Int
}

/// A line for the parent to print: the child's standard output is the wire.
struct Report: DistributedMessage {
    static let name = Notification.Name("org.example.Report")
    var text: String
}

/// Asks for a converter of a format.
struct FindConverter: DistributedRequest {
    static let name = Notification.Name("org.example.FindConverter")
    typealias Reply = String
    var format: String
}
