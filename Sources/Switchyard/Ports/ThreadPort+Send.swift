// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
public import SwitchyardCore

extension ThreadPort {
    /// Sends a message to the port's delegate, from any thread, and says why if that can't be.
    ///
    /// On a port without a limit it does not wait.
    ///
    /// - Parameters:
    ///   - id: the message's id.
    ///   - components: the parts of the message: data and ports, as Apple's ports carry them, or
    ///     any other value.
    ///   - reply: the port for replies: the receiver's `sendPort`.
    ///   - limit: until when to wait for room, when the port has a limit and is full. A date in the
    ///     past does not wait.
    /// - Throws: ``SendError``, if the message was not sent.
    public func send(
        id: UInt32 = 0, components: [any Sendable] = [], replyTo reply: ThreadPort? = nil,
        before limit: Date = .distantFuture
    ) throws(SendError) {
        let mail = PortMail(
            id: id, components: components.map { $0 as AnyObject },
            reply: PortMail.Reply(to: reply, over: self))
        try send(mail, before: limit)
    }

    func send(_ mail: PortMail, before limit: Date) throws(SendError) {
        switch state.withLock({ $0.send(mail, before: limit) }) {
        case .sent(let wakeUp, let reports):
            wakeUp.wake()
            if reports > 0 { report(waiting: reports) }
        case .waits(let sender):
            sender.wait(until: limit)
            switch state.withLock({ $0.endWait(of: sender) }) {
            case .sent: break
            case .portIsInvalid: throw .invalid
            case nil: throw .full
            }
        case .isFull: throw .full
        case .isInvalid: throw .invalid
        case .isOwnThread: throw .ownThread
        }
    }

    private func report(waiting: Int) {
        NotificationCenter.default.engine.report(
            DeliveryProblem(
                .highWater,
                "\(waiting) messages wait in a port: its delegate is slower than the senders to "
                    + "it, or has gone (it is held weakly), or its run loop does not run",
                count: waiting))
    }
}

extension ThreadPort {
    /// A message was not sent.
    public struct SendError: SwitchyardError, LocalizedError, Hashable {
        /// The reason of an error. More may come: have a `default` where you switch over it.
        public struct Code: Sendable, Hashable, CustomStringConvertible {
            /// The code's name.
            public let description: String

            /// The port has been invalidated, or was while the send waited.
            public static let invalid = Code(description: "invalid")
            /// The port was full until the date to which the send could wait.
            public static let full = Code(description: "full")
            /// The port was full, and only the sending thread could have made room.
            public static let ownThread = Code(description: "ownThread")
        }

        /// The reason why the message was not sent.
        public let code: Code
        /// The message for people: what happened, and what can be done.
        public let description: String

        static let invalid = SendError(
            code: .invalid,
            description: "the port is invalid: it was invalidated, or the thread of its run loop "
                + "has ended; observe Port.didBecomeInvalidNotification to hear of it")
        static let full = SendError(
            code: .full,
            description:
                "the port was full until the date given: send before a later date, or give "
                + "the port a larger capacity, or none")
        static let ownThread = SendError(
            code: .ownThread,
            description: "the port is full, and this thread would wait for itself to make room: "
                + "return to the run loop first, or give the port no capacity")
    }
}
