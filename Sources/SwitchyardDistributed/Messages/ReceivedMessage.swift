// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// What a notification that comes from another process is matched by.
package final class ReceivedTopic: Sendable {
    package let name: String
    package let object: String?
    let topic: Topic
    let subject: Subject

    package init(name: String, object: String?) {
        self.name = name
        self.object = object
        topic = .name(name)
        subject = object.map { Subject($0) } ?? .none
    }
}

/// A notification as it came: its payload is decoded when it is read.
///
/// The thread that receives has one of these for all that a sender sends, and lends it the bytes where
/// they are. Only when somebody keeps it beyond its delivery does it get a copy, and the thread a new
/// one.
final class ReceivedMessage: NamedMessage, @unchecked Sendable {
    // Sendable: the receiving thread writes these while nobody else has a reference, or, `lent` and
    // `own`, under `lock`; afterwards they are constant.
    private(set) var topic: ReceivedTopic
    private(set) var sender: DistributedPeer
    private(set) var sequence: UInt64 = 0
    private(set) var kind = PayloadKind.none
    /// Whether suspended processes get it as well.
    var isImmediate = false
    /// Is told what can't be decoded.
    private let intake: DistributedIntake?
    private var lent: UnsafeRawBufferPointer?
    /// The thread that lends: on it, what is lent stays so for as long as a handler runs.
    private var lender: pthread_t?
    private var own: [UInt8] = []

    /// For what is lent, of all messages: it is held for a copy of some bytes, and seldom taken.
    private static let lock = Guarded(())

    init(
        _ payload: DistributedPayload, sender: DistributedPeer, sequence: UInt64,
        _ topic: ReceivedTopic, _ intake: DistributedIntake? = nil
    ) {
        self.intake = intake
        self.topic = topic
        self.sender = sender
        self.sequence = sequence
        kind = payload.kind
        own = payload.bytes
        super.init()
    }

    /// Stands where there is none.
    static let none = ReceivedMessage(
        DistributedPayload(.none, []),
        sender: DistributedPeer(id: "", processIdentifier: 0, processName: ""), sequence: 0,
        ReceivedTopic(name: "", object: nil))

    /// One to lend to.
    init(sender: DistributedPeer, _ topic: ReceivedTopic, _ intake: DistributedIntake) {
        self.intake = intake
        self.topic = topic
        self.sender = sender
        super.init()
    }

    /// Makes this the message of bytes that stay where they are until ``keepOwn()``. Only while nobody
    /// else has a reference.
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

    /// Ends what ``lend(_:_:_:sequence:isImmediate:)`` began: the bytes are not looked at any more.
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

    /// Calls `body` with the payload's bytes: where they stand, for a handler on the thread that
    /// receives.
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

    // MARK: As other observers see it

    override func makeNotification() -> Notification {
        var userInfo: [AnyHashable: Any]?
        do {
            userInfo = try self.userInfo
        } catch {
            intake?.report(
                problem: "the payload of \"\(topic.name)\" from \(sender) is malformed, so its "
                    + "observers get it without userInfo: \(error)")
        }
        return Notification(
            name: Notification.Name(topic.name), object: topic.object, userInfo: userInfo)
    }

    override func withoutSubject() -> NamedMessage { self }

    /// Foundation calls a number that has no place in its property's type JSON that is not valid, and
    /// keeps to itself which property that is.
    private static func cause(of error: any Error) -> any Error {
        guard case DecodingError.dataCorrupted(let context) = error,
            let cause = context.underlyingError
        else { return error }
        return cause
    }

    override func message<Message>(as type: Message.Type) throws -> Message? {
        guard let type = type as? any DistributedMessage.Type else { return nil }
        do {
            let payload = payload
            return try (payload.message(type) ?? type.message(from: payload.userInfo)) as? Message
        } catch {
            throw DeliverySkipped(
                DeliveryProblem(
                    .notConvertible,
                    "what \(sender) posted as \"\(topic.name)\" is no \(type), so its observers did not "
                        + "get it: \(Self.cause(of: error))", error: error))
        }
    }
}
