// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
internal import Switchyard
public import SwitchyardCore

/// There is no answer of another process: the cause of a `RequestError`.
public struct DistributedAnswerError: SwitchyardError, LocalizedError {
    /// The reason of an error. More may come: have a `default` where you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// One who was asked there threw an error, or its answer could not be sent.
        public static let threw = Code(description: "threw")
        /// The answer is not of the type that was asked for: the programs differ in the request's
        /// type.
        public static let notDecodable = Code(description: "notDecodable")
    }

    /// The reason of the error.
    public let code: Code
    /// The process, and what happened there.
    public let description: String
    /// The process.
    public let peer: DistributedPeer
    /// The error of the decoding.
    public let cause: (any Error)?

    init(_ code: Code, by peer: DistributedPeer, _ what: String, cause: (any Error)? = nil) {
        self.code = code
        self.peer = peer
        // The process has sent some of the text.
        description = "\(peer): \(what.shown)"
        self.cause = cause
    }
}
