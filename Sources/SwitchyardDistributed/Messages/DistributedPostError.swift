// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The reason why something can't be posted to other processes.
public struct DistributedPostError: Error, CustomStringConvertible {
    /// The kind of an error. More kinds may come.
    public struct Code: Sendable, Hashable {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// `userInfo` holds a value that can't be in a property list.
        public static let notPropertyList = Code("notPropertyList")
        /// A message's `encode(to:)` threw.
        public static let notEncodable = Code("notEncodable")
        /// The payload, the name or the object is too long.
        public static let tooLong = Code("tooLong")
        /// The object is no string.
        public static let objectIsNoString = Code("objectIsNoString")
        /// Earlier notifications have not been sent yet, and use up the room for those that wait.
        public static let bufferIsFull = Code("bufferIsFull")
        /// The center does not reach other processes.
        public static let notConnected = Code("notConnected")
    }

    /// The kind of error.
    public let code: Code
    /// The problem, and what to do.
    public let description: String
    /// The underlying error.
    public let cause: (any Error)?

    package init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    static func tooLong(_ count: Int) -> DistributedPostError {
        DistributedPostError(
            .tooLong,
            "the payload takes \(count) bytes, and a notification carries at most "
                + "\(WireFormat.longestPayload): put it into a file, and post where that is")
    }
}
