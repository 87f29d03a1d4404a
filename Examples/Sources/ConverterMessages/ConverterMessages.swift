// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The messages between converters and their clients, which are all that the programs share.
package import SwitchyardDistributed

/// The domain in which they meet.
package let converterDomain = "org.example.converters"

/// A converter has come, or answers that it is there.
package struct ConverterAdded: DistributedMessage {
    package static let name = Notification.Name("org.example.ConverterAdded")
    package var format: String
    /// The process that converts.
    package var process: Int32

    package init(format: String, process: Int32) {
        self.format = format
        self.process = process
    }
}

/// A converter says goodbye.
package struct ConverterRemoved: DistributedMessage {
    package static let name = Notification.Name("org.example.ConverterRemoved")
    package var process: Int32

    package init(process: Int32) { self.process = process }
}

/// Somebody asks who is there. Converters answer with ``ConverterAdded``.
package struct ConvertersWanted: DistributedMessage {
    package static let name = Notification.Name("org.example.ConvertersWanted")

    package init() {}
}
