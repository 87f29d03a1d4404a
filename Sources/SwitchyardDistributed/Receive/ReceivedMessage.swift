// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire
internal import Synchronization

/// A notification as it came: its payload is decoded when it is read.
///
/// The receiving thread has one message object for each posting process, and lends it the received
/// bytes without copying them. If an observer keeps the object beyond the delivery, the object gets
/// a copy of the bytes, and the thread makes a new object.
final class ReceivedMessage: EncodedMessage, @unchecked Sendable {
    // Sendable: the receiving thread writes these variables while nobody else has a reference;
    // `lent` and `own` also later, under `lock`. Otherwise they are constant.
    private(set) var topic: ReceivedTopic
    private(set) var sender: DistributedPeer
    private(set) var sequence: UInt64 = 0
    private(set) var kind = PayloadKind.none
    /// Whether suspended processes deliver the notification as well.
    var isImmediate = false
    /// The engine whose problem hook is told of payloads that can't be decoded.
    private let engine: NotificationEngine?
    private var lent: UnsafeRawBufferPointer?
    /// The thread that lends the bytes: a handler on that thread may use them until it returns.
    private var lender: pthread_t?
    private var own: [UInt8] = []

    /// The lock of `lent` and `own`, shared by all messages: it is rarely taken, and held only for
    /// a copy of some bytes.
    private static let lock: Guarded<Void> = {
        let lock = Guarded(())
        // A forked child reads what its parent has received.
        lock.holdAcrossForks()
        return lock
    }()

    static func prepareForForks() { _ = lock }

    init(
        _ payload: DistributedPayload, sender: DistributedPeer, sequence: UInt64,
        _ topic: ReceivedTopic, _ engine: NotificationEngine? = nil
    ) {
        self.engine = engine
        self.topic = topic
        self.sender = sender
        self.sequence = sequence
        kind = payload.kind
        own = payload.bytes
        super.init()
    }

    /// The placeholder for a missing message.
    static let none = ReceivedMessage(
        DistributedPayload(.none, []),
        sender: DistributedPeer(id: "", processIdentifier: 0, processName: ""), sequence: 0,
        ReceivedTopic(name: "", object: nil))

    /// Creates a message to lend bytes to.
    init(sender: DistributedPeer, _ topic: ReceivedTopic, _ engine: NotificationEngine) {
        self.engine = engine
        self.topic = topic
        self.sender = sender
        super.init()
    }

    /// Makes this the message of bytes that stay valid until ``keepOwn()``. Only while nobody else
    /// has a reference.
    @inline(__always)
    func lend(
        _ bytes: UnsafeRawBufferPointer, _ kind: PayloadKind, _ topic: Unmanaged<ReceivedTopic>,
        sequence: UInt64, isImmediate: Bool
    ) {
        if Unmanaged.passUnretained(self.topic).toOpaque() != topic.toOpaque() {
            self.topic = topic.takeUnretainedValue()
        }
        self.sequence = sequence
        self.kind = kind
        self.isImmediate = isImmediate
        lent = bytes
        if lender == nil { lender = pthread_self() }
    }

    /// Copies the bytes that ``lend(_:_:_:sequence:isImmediate:)`` lent, which are not read any
    /// more after this.
    func keepOwn() {
        Self.lock.withLock { _ in
            if let lent { own = Array(lent) }
            lent = nil
        }
    }

    /// The payload's bytes.
    var bytes: [UInt8] {
        Self.lock.withLock { _ in lent.map { Array($0) } ?? own }
    }

    /// Calls `body` with the payload's bytes, without a copy on the thread that receives.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        if let lender, pthread_equal(lender, pthread_self()) != 0, let lent {
            return try body(lent)
        }
        return try bytes.withUnsafeBytes(body)
    }

    /// The payload as a dictionary.
    var userInfo: [AnyHashable: Any]? {
        get throws {
            if kind != .propertyList { return try payload.userInfo }
            return try withBytes { try PropertyListCoding.decodeUserInfo($0) }
        }
    }

    var payload: DistributedPayload { DistributedPayload(kind, bytes) }

    // MARK: Forms for other observers

    override func makeNotification() -> Notification {
        var userInfo: [AnyHashable: Any]?
        do {
            userInfo = try self.userInfo
        } catch {
            engine?.report(
                DeliveryProblem(
                    .transport,
                    "the payload of \"\(topic.name.shown)\" from \(sender) is malformed, so its "
                        + "observers get it without userInfo: \("\(error)".shown)",
                    topic: "\"\(topic.name.shown)\""))
        }
        return Notification(
            name: Notification.Name(topic.name), object: topic.object, userInfo: userInfo)
    }

    override func withoutSubject() -> NamedMessage { self }

    override func read<Message: DistributedMessage>(as type: Message.Type) throws -> Message? {
        do {
            if kind == .json { return try withBytes { try JSONCoding.decode(type, from: $0) } }
            if kind == .bytes {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(codingPath: [], debugDescription: "bytes are no message"))
            }
            return try type.message(from: payload.userInfo)
        } catch {
            throw DeliverySkipped(
                DeliveryProblem(
                    .notConvertible,
                    "what \(sender) posted as \"\(topic.name.shown)\" is no \(type), so its observers did not "
                        + "get it: \(JSONCoding.words(for: error).shown)", error: error,
                    topic: "\"\(topic.name.shown)\""))
        }
    }
}
