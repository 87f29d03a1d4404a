// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The topic of a notification: a name, a message type, or, on an observer's side, any name, or
/// names of a pattern.
@_spi(Engine) public struct Topic: Sendable {
    /// The address of the message type's metadata, or one of the three constants below.
    package let bits: UInt
    /// The name or pattern; empty unless `bits` says that this is one.
    package let name: String
    package let hash: UInt

    static let anyNameBits: UInt = 0
    private static let nameBits: UInt = 1
    private static let patternBits: UInt = 2

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

    /// Matched by posts under the names that fit a pattern, which has a wildcard. Observers only.
    package static func pattern(_ pattern: String) -> Topic {
        Topic(bits: patternBits, name: pattern, hash: hash(ofPattern: pattern))
    }

    private static func hash(ofPattern pattern: String) -> UInt {
        Hash.combine(Hash.of(pattern), patternBits)
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
        let hash =
            switch bits {
            case Self.nameBits: keyHash ?? Hash.of(name)
            case Self.patternBits: keyHash ?? Self.hash(ofPattern: name)
            default: keyHash ?? Hash.mix(bits)
            }
        self.init(bits: bits, name: name, hash: hash)
    }

    private init(bits: UInt, name: String, hash: UInt) {
        self.bits = bits
        self.name = name
        self.hash = hash
    }

    package var isName: Bool { bits == Self.nameBits }
    package var isAnyName: Bool { bits == Self.anyNameBits }
    package var isPattern: Bool { bits == Self.patternBits }

    /// Whether the topic is a name or a pattern, so that ``name`` distinguishes it from others of
    /// its kind.
    @inline(__always)
    var hasName: Bool { bits &- Self.nameBits <= 1 }

    /// Whether observers of it hear posts under several names.
    @inline(__always)
    static func isForManyNames(_ bits: UInt) -> Bool { bits & ~patternBits == 0 }

    @inline(__always)
    package static func == (left: Topic, right: Topic) -> Bool {
        left.bits == right.bits && (!left.hasName || left.name == right.name)
    }
}

extension Topic {
    /// Whether an observer of this topic hears posts of `posted`.
    package func hears(_ posted: Topic) -> Bool {
        if isAnyName { return posted.isName }
        if isPattern { return posted.isName && NamePattern(name)?.matches(posted.name) == true }
        return self == posted
    }
}

extension Topic: CustomStringConvertible {
    /// The topic for people: the name in quotation marks, the message type, `any name`, or the
    /// pattern.
    public var description: String {
        if isAnyName { return "any name" }
        if isName { return "\"\(name)\"" }
        if isPattern { return "names like \"\(name)\"" }
        guard let pointer = UnsafeRawPointer(bitPattern: bits) else { return "?" }
        // `bits` came from the ObjectIdentifier of a metatype, and metadata is never freed.
        let type = unsafeBitCast(pointer, to: Any.Type.self)
        if let other = type as? any NamesTopicOtherwise.Type { return other.topicName }
        return TypeName.of(type)
    }
}

/// A message type that people know by another name than its own.
protocol NamesTopicOtherwise {
    /// The name of its topic, as in ``Topic/description``.
    static var topicName: String { get }
}

extension String {
    /// The name of a topic, without the quotation marks of its description.
    package var unquoted: String {
        count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : self
    }
}
