// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The constants of the wire protocol; `docs/wire-protocol.md` says what they mean.
@usableFromInline
package enum WireFormat {
    package static let magic = Array("SWITCHYD".utf8)
    @inlinable package static var lowestVersion: UInt8 { 1 }
    @inlinable package static var highestVersion: UInt8 { 1 }
    /// The size of the length before every frame, which counts the bytes that follow it.
    @inlinable package static var lengthBytes: Int { 4 }
    /// The length of the longest frame, without its length field: the longest payload, name and
    /// object, and more.
    @inlinable package static var longestFrame: Int { longestPayload + 256 * 1024 }
    /// The length of the longest frame before a greeting was read.
    @inlinable package static var longestGreeting: Int { 4096 }
    /// The length of the longest payload of a notification.
    @inlinable package static var longestPayload: Int { 16 * 1024 * 1024 }
    @inlinable package static var longestName: Int { 65_535 }
    @inlinable package static var longestObject: Int { 65_535 }
    /// The name of the notifications by which members ask for latest values.
    package static let questionName = "switchyard.latest"
    /// The name of the notifications that carry a request; their object is its name.
    package static let requestName = "switchyard.request"
    /// The name of the answers to both; their object is the one who asks.
    package static let answerName = "switchyard.answer"
    /// The name of the interests by which members tell of the groups that they have; nothing is
    /// posted under it.
    package static let groupName = "switchyard.group"
    /// The names of notifications that are for members, and not for observers.
    package static let memberNames = [questionName, requestName, answerName, groupName]

    /// The size of a notification's frame before its name, including the length field.
    @inlinable package static var notificationHead: Int { 24 }
    /// The offset of the sequence number in a notification's frame.
    @inlinable package static var sequenceOffset: Int { 8 }
}

/// The type of a frame.
@usableFromInline
package enum FrameType: UInt8, Sendable {
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

    // Unknown types are ignored from 128 on.
    case heard = 128
    case promise = 129
    case farewell = 130
    case away = 131
    case context = 132
    case connection = 133

    @inlinable package static var firstIgnorable: UInt8 { 128 }
}

/// The format of a notification's payload.
@usableFromInline
package enum PayloadKind: UInt8, Sendable {
    /// No payload.
    case none = 0
    /// The dictionary of a property list: `userInfo`.
    case propertyList = 1
    /// A `Codable` message, as JSON.
    case json = 2
    /// Bytes whose meaning only the two ends know.
    case bytes = 3
}
