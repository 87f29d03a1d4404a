// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The numbers of the wire protocol; `docs/wire-protocol.md` says what they mean.
package enum WireFormat {
    package static let magic = Array("SWITCHYD".utf8)
    package static let lowestVersion: UInt8 = 1
    package static let highestVersion: UInt8 = 1
    /// What stands before every frame: how many bytes follow.
    package static let lengthBytes = 4
    /// The longest frame, without its length: with the longest payload, name and object, and more.
    package static let longestFrame = longestPayload + 256 * 1024
    /// The longest frame of somebody who has not yet said hello.
    package static let longestGreeting = 4096
    /// The longest payload of a notification.
    package static let longestPayload = 16 * 1024 * 1024
    package static let longestName = 65_535
    package static let longestObject = 65_535
    /// What stands in a notification's frame before its name, with the frame's length.
    package static let notificationHead = 24
    /// Where its sequence number stands.
    package static let sequenceOffset = 8
}

/// What a frame is.
package enum FrameType: UInt8 {
    case hello = 1
    case bye = 2
    case subscribe = 3
    case unsubscribe = 4
    case sync = 5
    case synced = 6
    case notification = 16
    case lost = 17
    case ping = 18
    case pong = 19
    case status = 20
    case report = 21

    // From here on, a type that is not known is passed over.
    case heard = 128

    package static let firstIgnorable: UInt8 = 128
}

/// What a notification's payload is.
package enum PayloadKind: UInt8 {
    /// There is none.
    case none = 0
    /// A property list's dictionary: `userInfo`.
    case propertyList = 1
    /// A `Codable` message, as JSON.
    case json = 2
    /// Bytes that only the two ends know.
    case bytes = 3
}
