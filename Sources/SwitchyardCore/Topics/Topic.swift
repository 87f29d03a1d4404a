// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The topic of a notification: a name, a message type, or, on an observer's side, any name.
@_spi(Engine) public struct Topic: Sendable {
    /// The address of the message type's metadata, or one of the two constants below.
    let bits: UInt
    /// The name; empty unless `bits` says that this is one.
    package let name: String
    package let hash: UInt

    static let anyNameBits: UInt = 0
    private static let nameBits: UInt = 1

    /// Matched by every named post. Observers only.
    package static let anyName = Topic(bits: anyNameBits, name: "", hash: Hash.mix(anyNameBits))

    /// Matched by posts under `name`. Equal as strings are: canonically, not byte by byte.
    @inline(__always)
    package static func name(_ name: String) -> Topic {
        Topic(bits: nameBits, name: name, hash: Hash.of(name))
    }

    /// The topic of a name whose hash is known, from an earlier topic.
    @inline(__always)
    package static func name(_ name: String, hash: UInt) -> Topic {
        Topic(bits: nameBits, name: name, hash: hash)
    }

    /// Matched by posts of values of `type`.
    @inline(__always)
    package static func type<Message>(_ type: Message.Type) -> Topic {
        let bits = UInt(bitPattern: ObjectIdentifier(type))
        return Topic(bits: bits, name: "", hash: Hash.mix(bits))
    }

    /// A topic of a bucket.
    ///
    /// - Parameter keyHash: its hash, if it is known.
    init(bits: UInt, name: String, keyHash: UInt?) {
        let isName = bits == Self.nameBits
        self.init(
            bits: bits, name: name, hash: keyHash ?? (isName ? Hash.of(name) : Hash.mix(bits)))
    }

    private init(bits: UInt, name: String, hash: UInt) {
        self.bits = bits
        self.name = name
        self.hash = hash
    }

    package var isName: Bool { bits == Self.nameBits }
    package var isAnyName: Bool { bits == Self.anyNameBits }

    @inline(__always)
    package static func == (left: Topic, right: Topic) -> Bool {
        left.bits == right.bits && (left.bits != nameBits || left.name == right.name)
    }
}

extension Topic: CustomStringConvertible {
    /// The topic for people: the name in quotation marks, the message type, or `any name`.
    public var description: String {
        if isAnyName { return "any name" }
        if isName { return "\"\(name)\"" }
        guard let pointer = UnsafeRawPointer(bitPattern: bits) else { return "?" }
        // `bits` came from the ObjectIdentifier of a metatype, and metadata is never freed.
        return _typeName(unsafeBitCast(pointer, to: Any.Type.self), qualified: true)
    }
}
