// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// A message on its way through a port.
struct PortMail: @unchecked Sendable {
    // Sendable: a caller of Apple's interface answers for the objects that it sends, as with
    // Apple's ports. Our own interface takes Sendable components only.

    /// The port to reply to. A port that sends to itself is not kept by its own messages.
    enum Reply {
        case nobody
        case itself
        case other(Port)

        init(to port: Port?, over carrier: Port) {
            switch port {
            case nil: self = .nobody
            case carrier: self = .itself
            case let other?: self = .other(other)
            }
        }
    }

    /// A component as it arrives: data is copied, anything else is the object itself.
    static func component(_ object: AnyObject) -> AnyObject {
        guard let data = object as? NSData else { return object }
        return data.copy() as AnyObject
    }

    let id: UInt32
    let components: [AnyObject]?
    let reply: Reply

    /// The message as the delegate of `port` receives it: its `sendPort` is the port for replies.
    func message(receivedBy port: Port) -> PortMessage {
        let answers: Port? =
            switch reply {
            case .nobody: nil
            case .itself: port
            case .other(let other): other
            }
        #if canImport(Darwin)
        let message = PortMessage(send: answers, receive: port, components: components)
        #else
        let message = PortMessage(sendPort: answers, receivePort: port, components: components)
        #endif
        message.msgid = id
        return message
    }
}

/// A port's delegate, on its way into the port and out of it.
struct PortReceiver: @unchecked Sendable {
    // Sendable: handed over as it is; called only on the thread of the port's run loop.
    let delegate: (any PortDelegate)?

    func receive(_ message: PortMessage) {
        #if canImport(Darwin)
        delegate?.handle?(message)
        #else
        delegate?.handle(message)
        #endif
    }
}

/// A thread that waits until a full port has room for its message.
final class PortSender: @unchecked Sendable {
    // Sendable: `outcome` is guarded by the port's lock.
    let mail: PortMail
    /// The outcome; nil while the thread waits.
    var outcome: Outcome?
    private let changed = DispatchSemaphore(value: 0)

    enum Outcome {
        case sent
        case portIsInvalid
    }

    init(_ mail: PortMail) { self.mail = mail }

    func wake() { changed.signal() }

    /// Waits until it is woken, or the date has come.
    func wait(until limit: Date) {
        // Waits for a century at most, which stands for ever.
        let seconds = min(limit.timeIntervalSinceNow, 3_155_760_000)
        _ = changed.wait(timeout: .now() + seconds)
    }
}
