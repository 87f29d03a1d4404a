// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
internal import Switchyard
public import SwitchyardCore
internal import SwitchyardWire

/// The error of a notification that can't be posted to other processes.
public struct DistributedPostError: SwitchyardError, LocalizedError {
    /// The reason of an error. More may come: have a `default` where you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// `userInfo` holds a value that can't be in a property list.
        public static let notPropertyList = Code(description: "notPropertyList")
        /// A message's `encode(to:)` threw.
        public static let notEncodable = Code(description: "notEncodable")
        /// The payload, the name or the object is too long.
        public static let tooLong = Code(description: "tooLong")
        /// The name is reserved for notifications between centers.
        public static let nameIsReserved = Code(description: "nameIsReserved")
        /// The object is no string.
        public static let objectIsNoString = Code(description: "objectIsNoString")
        /// Earlier notifications have not been sent yet, and use up the room for waiting
        /// notifications.
        public static let bufferIsFull = Code(description: "bufferIsFull")
        /// A payload's format is none that this version knows.
        public static let unknownFormat = Code(description: "unknownFormat")
        /// The center does not reach other processes.
        public static let notConnected = Code(description: "notConnected")
    }

    /// The reason of the error.
    public let code: Code
    /// The problem, and what to do.
    public let description: String
    /// The underlying error.
    public let cause: (any Error)?

    /// Creates an error, as a transport throws it.
    ///
    /// - Parameters:
    ///   - code: The reason.
    ///   - description: The problem, and what to do.
    ///   - cause: The underlying error.
    public init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    static func tooLong(_ count: Int) -> DistributedPostError {
        DistributedPostError(
            .tooLong,
            "the payload takes \(count) bytes, and a notification carries at most "
                + "\(WireFormat.longestPayload): put it into a file, and post the path of that file"
        )
    }
}
