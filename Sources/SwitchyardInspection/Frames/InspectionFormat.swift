// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The constants of the inspection protocol; `docs/inspection-protocol.md` says what they mean.
package enum InspectionFormat {
    static let magic = Array("SWINSPCT".utf8)
    static let version: UInt8 = 1
    /// The length of the longest frame that a watched process accepts, without its length field.
    static let longestRequest = 4096
    /// The length of the longest frame that a tool accepts.
    static let longestAnswer = 256 * 1024 * 1024
    /// The most looks that one request for samples may ask for.
    package static let mostLooks: UInt32 = 100_000

    /// The pause between two looks that comes nearest to `microseconds`.
    static func pause(_ microseconds: UInt32) -> UInt32 { min(max(microseconds, 100), 1_000_000) }
}

/// The type of a frame.
enum InspectionFrameType: UInt8 {
    case hello = 1
    case ask = 2
    case answer = 3
    case refused = 4
}

/// The subject of a tool's request.
enum InspectionQuestion: UInt8 {
    case registrations = 1
    case samples = 2
    case counting = 3
    case tracing = 4
    case events = 5
}
