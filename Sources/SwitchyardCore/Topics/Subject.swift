// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The object of a notification as it is matched: an instance by its address, a metatype by its
/// identity, any other value by equality.
@_spi(Engine) public struct Subject: Sendable {
    enum Kind: UInt8 {
        /// No object. On an observer's side: any object, or none.
        case none
        /// A class instance. `bits` is its address.
        case instance
        /// A type. `bits` is its identity.
        case metatype
        /// A hashable value, matched by what `AnyHashable` holds equal: `1`, `1.0` and `UInt8(1)`
        /// are one object, `"1"` is another. `bits` is its hash.
        case value
        /// A value that is neither, or that only a global actor may compare: it equals nothing, so
        /// only observers of any object match. `bits` is 1 for the latter.
        case unmatchable
    }

    let bits: UInt
    private let value: SubjectValue?
    // Last, so that what stands behind a subject in memory starts right here.
    let kind: Kind

    @inline(__always)
    private init(_ kind: Kind, _ bits: UInt, _ value: SubjectValue? = nil) {
        self.kind = kind
        self.bits = bits
        self.value = value
    }

    private init(_ value: SubjectValue) { self.init(.value, value.hash, value) }

    /// No object, or any.
    @inline(__always)
    package static var none: Subject { Subject(.none, 0) }

    /// The subject for `object`, a class instance.
    @inline(__always)
    package init<Object: AnyObject>(instance object: borrowing Object) {
        self.init(.instance, UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
    }

    /// The subject for the instance at `address`.
    package init(instanceAt address: UInt) { self.init(.instance, address) }

    /// The subject for `object`.
    package init(_ object: Any) { self = Self.classify(object) }

    /// The subject for `object`; nil is no object.
    package init<Object>(optional object: Object?) {
        if Object.self == Never.self {
            // The conformance is not asked for: generic code takes long to find out that there is
            // none.
            self = .none
        } else if let object {
            self = Self.classify(object)
        } else {
            self = .none
        }
    }

    /// The subject for `object`; nil is no object. For instances, by a look at the two words that
    /// tell: the generic form copies the object, and retains it on the way.
    @inline(__always)
    package init(optional object: borrowing Any?) {
        self = withUnsafePointer(to: object) { Subject(at: $0) }
    }

    private init(at object: UnsafePointer<Any?>) {
        // An `Any` is three words for the value, the first of which is an instance's reference, and
        // the type; nil has no type.
        let words = UnsafeRawPointer(object)
        let type = words.load(
            fromByteOffset: 3 * MemoryLayout<UnsafeRawPointer>.size, as: UnsafeRawPointer?.self)
        guard let type else {
            self = .none
            return
        }
        if unsafeBitCast(type, to: Any.Type.self) is AnyClass {
            self.init(.instance, words.load(as: UInt.self))
        } else if type == Self.stringType {
            self.init(SubjectValue(words.load(as: String.self)))
        } else if type == Self.integerType {
            self.init(SubjectValue(words.load(as: Int.self)))
        } else {
            self = Self.classify(object)
        }
    }

    @inline(__always)
    private static var stringType: UnsafeRawPointer {
        unsafeBitCast(String.self as Any.Type, to: UnsafeRawPointer.self)
    }

    @inline(__always)
    private static var integerType: UnsafeRawPointer {
        unsafeBitCast(Int.self as Any.Type, to: UnsafeRawPointer.self)
    }

    @inline(never)
    private static func classify(_ object: UnsafePointer<Any?>) -> Subject {
        object.pointee.map { classify($0) } ?? .none
    }

    private static func classify<Object>(_ object: Object) -> Subject {
        if Object.self == String.self {
            return Subject(SubjectValue(unsafeBitCast(object, to: String.self)))
        }
        if Object.self == Int.self {
            return Subject(SubjectValue(unsafeBitCast(object, to: Int.self)))
        }
        // `as Any`, so that the dynamic type is asked: a class behind a protocol is found as well.
        if type(of: object as Any) is AnyClass {
            return Subject(.instance, address(of: object))
        }
        // An optional in an `AnyHashable` equals no value without one.
        if type(of: object as Any) != AnyHashable.self,
            let wrapped = object as? any OptionalSubject
        {
            return wrapped.subject
        }
        if let type = object as? Any.Type {
            return Subject(.metatype, UInt(bitPattern: ObjectIdentifier(type)))
        }
        // Asked before the cast, which wraps any other value.
        if type(of: object as Any) == AnyHashable.self, let boxed = object as? AnyHashable,
            type(of: boxed.base) is AnyClass
        {
            return classify(boxed.base)
        }
        if let value = AnyHashable(onAnyThread: object) {
            return Subject(SubjectValue(value))
        }
        // This cast calls none of the conformance's functions.
        return Subject(.unmatchable, object is any Hashable ? 1 : 0)
    }

    /// Equal for equal subjects: an address, or a hash.
    package var identity: UInt { bits }

    /// The address of `object`, a class instance, possibly behind a protocol.
    private static func address<Object>(of object: Object) -> UInt {
        if Object.self is AnyClass || Object.self == Any.self {
            // Both types hold nothing but the reference, or the reference first.
            return withUnsafeBytes(of: object) { $0.load(as: UInt.self) }
        }
        if let error = object as? any Error { return address(ofOpened: error) }
        return UInt(bitPattern: Unmanaged.passUnretained(object as AnyObject).toOpaque())
    }

    /// An error is in a box of its own as long as it is an `any Error`; here it is out of it.
    private static func address<Object: Error>(ofOpened object: Object) -> UInt {
        withUnsafeBytes(of: object) { $0.load(as: UInt.self) }
    }

    /// Whether there is none, or any will do.
    @inline(__always)
    package var isNone: Bool { kind == .none }

    /// Whether no post or observation can match this.
    package var isUnmatchable: Bool { kind == .unmatchable }

    /// Whether no post or observation can match this because only a global actor may compare it.
    package var isIsolated: Bool { kind == .unmatchable && bits == 1 }

    /// Whether equality is the user's code.
    package var isValue: Bool { kind == .value }

    /// Whether it is a class instance.
    package var isInstance: Bool { kind == .instance }

    /// Whether it equals `other` for all that can be told without the user's code: for anything but
    /// values, whether it does.
    @inline(__always)
    package func mayEqual(_ other: Subject) -> Bool {
        kind == other.kind && bits == other.bits && kind != .unmatchable
    }

    /// The string that it is, if it is one.
    package var string: String? { value?.string }

    /// Whether this is an instance whose deinit has begun. The caller has the instance in hand.
    package var isGone: Bool {
        guard kind == .instance, let address = UnsafeRawPointer(bitPattern: bits) else {
            return false
        }
        return switchyard_is_deallocating(address)
    }

    @inline(__always)
    package static func == (left: Subject, right: Subject) -> Bool {
        guard left.kind == right.kind, left.bits == right.bits else { return false }
        return left.kind.rawValue < Kind.value.rawValue || left.hasEqualValue(right)
    }

    @inline(never)
    private func hasEqualValue(_ other: Subject) -> Bool {
        guard let value, let other = other.value else { return false }
        return value == other
    }
}

extension Subject: CustomStringConvertible {
    /// The subject for people. The object's own description is not asked for: the object may be
    /// dying. A value's own is, on the calling thread.
    public var description: String {
        value.map { "object \($0.hashable)" } ?? plainDescription
    }

    /// The subject for people, on any thread: a value's own description is not asked for either,
    /// because it may read an object that has died, or that another thread uses.
    package var plainDescription: String {
        switch kind {
        case .none: "any object"
        case .unmatchable: "an object that nothing equals"
        case .value: value.map { "object \($0.shown)" } ?? "?"
        case .metatype: "type at 0x\(String(bits, radix: 16))"
        case .instance: "object at 0x\(String(bits, radix: 16))"
        }
    }
}

/// An optional that came wrapped in `Any`: nil is no object, else what it wraps is the object.
private protocol OptionalSubject {
    var subject: Subject { get }
}

extension Optional: OptionalSubject {
    fileprivate var subject: Subject {
        switch self {
        case .none: .none
        case .some(let object): Subject(object)
        }
    }
}
