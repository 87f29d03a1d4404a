// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The numbers of the wire protocol; `docs/wire-protocol.md` says what they mean.
enum WireFormat {
    static let magic = Array("SWITCHYD".utf8)
    static let lowestVersion: UInt8 = 1
    static let highestVersion: UInt8 = 1
    /// What stands before every frame: how many bytes follow.
    static let lengthBytes = 4
    /// The longest frame, without its length: with the longest payload, name and object, and more.
    static let longestFrame = longestPayload + 256 * 1024
    /// The longest frame of somebody who has not yet said hello.
    static let longestGreeting = 4096
    /// The longest payload of a notification.
    static let longestPayload = 16 * 1024 * 1024
    static let longestName = 65_535
    static let longestObject = 65_535
    /// What stands in a notification's frame before its name, with the frame's length.
    static let notificationHead = 24
    /// Where its sequence number stands.
    static let sequenceOffset = 8
}

/// What a frame is.
enum FrameType: UInt8 {
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

    /// From here on, a type that is not known is passed over.
    static let firstIgnorable: UInt8 = 128
}

/// What a notification's payload is.
enum PayloadKind: UInt8 {
    /// There is none.
    case none = 0
    /// A property list's dictionary: `userInfo`.
    case propertyList = 1
    /// A `Codable` message, as JSON.
    case json = 2
    /// Bytes that only the two ends know.
    case bytes = 3
}
