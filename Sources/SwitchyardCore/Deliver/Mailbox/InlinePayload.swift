// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A payload of up to three words that is nothing but bits.
struct InlinePayload {
    private var words: (UInt, UInt, UInt) = (0, 0, 0)

    init() {}

    /// Whether payloads of this type are stored in this form.
    static func holds<Payload>(_ type: Payload.Type) -> Bool {
        _isPOD(type) && MemoryLayout<Payload>.size <= MemoryLayout<Self>.size
            && MemoryLayout<Payload>.alignment <= MemoryLayout<Self>.alignment
    }

    /// - Parameter payload: of a type that is stored so.
    init<Payload>(_ payload: Payload) {
        withUnsafeMutableBytes(of: &words) { bytes in
            withUnsafeBytes(of: payload) { bytes.copyMemory(from: $0) }
        }
    }

    /// Whether a payload of this type, which is stored so, leaves room for the number of its post.
    @inline(__always)
    static func leavesRoom<Payload>(beside type: Payload.Type) -> Bool {
        UInt.bitWidth == UInt64.bitWidth
            && MemoryLayout<Payload>.size <= MemoryLayout<Self>.size - MemoryLayout<UInt>.size
    }

    /// - Parameter post: the number of its post, which is traced.
    init<Payload>(_ payload: Payload, of post: UInt64) {
        self.init(payload)
        words.2 = UInt(truncatingIfNeeded: post)
    }

    /// The number of the post, if it was stored with the payload.
    var post: UInt64 { UInt64(words.2) }

    /// Calls `body` with the address of the payload.
    @inline(__always)
    func withPointer<Result, Failure: Error>(
        _ body: (UnsafeRawPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafePointer(to: words) { words throws(Failure) in
            try body(UnsafeRawPointer(words))
        }
    }
}
