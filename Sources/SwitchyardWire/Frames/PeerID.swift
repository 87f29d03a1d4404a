// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The id of a member of the mesh: sixteen random bytes.
package struct PeerID: Hashable, Sendable, CustomStringConvertible {
    package static let size = 16

    private let high: UInt64
    private let low: UInt64

    package static func random() -> PeerID {
        PeerID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(_ bytes: UnsafeRawBufferPointer) {
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    package func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
    }

    /// The id as 32 hexadecimal digits.
    package var description: String {
        withBytes { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
