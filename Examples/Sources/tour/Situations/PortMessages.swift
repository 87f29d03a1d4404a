// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

/// A port's delegate that passes messages to a closure.
private final class Receiver: PortDelegate, Sendable {
    private let receive: @Sendable (PortMessage) -> Void

    init(_ receive: @escaping @Sendable (PortMessage) -> Void) { self.receive = receive }

    func handle(_ message: PortMessage) { receive(message) }
}

extension Situation {
    static let portMessage = Situation(
        name: "A port message with id 1212 from one thread to another",
        promise: """
            A thread that has a port on its run loop receives there what other threads send to it, \
            and answers through the port that came with the message.
            """
    ) { stage in
        let (worker, asker) = (stage.thread("worker"), stage.thread("asker"))
        let (port, replies) = (ThreadPort(), ThreadPort())
        let checkIn = Receiver { message in
            stage.record("receives message \(message.msgid): \(text(of: message))")
            let answer = PortMessage(
                sendPort: message.sendPort, receivePort: nil,
                components: [Data("hello".utf8) as AnyObject])
            answer.msgid = message.msgid + 1
            if !answer.send(before: Date()) { stage.record("the answer was not sent") }
        }
        let hear = Receiver { message in
            stage.record("receives message \(message.msgid): \(text(of: message))")
        }
        try stage.on(worker) { receive(through: port, checkIn) }
        try stage.on(asker) {
            receive(through: replies, hear)
            stage.record("sends 1212 to the worker's port")
            let components = NSMutableArray(array: [Data("check".utf8), Data("in".utf8)])
            _ = port.send(
                before: Date(), msgid: 1212, components: components, from: replies, reserved: 0)
        }
        try stage.expect([
            "asker: sends 1212 to the worker's port", "worker: receives message 1212: check in",
            "asker: receives message 1213: hello",
        ])
        port.invalidate()
        replies.invalidate()
        withExtendedLifetime((checkIn, hear)) {}
    }
}

/// Adds `port` to the calling thread's run loop, with `receiver` as its delegate.
private func receive(through port: ThreadPort, _ receiver: Receiver) {
    port.setDelegate(receiver)
    RunLoop.current.add(port, forMode: .common)
}

private func text(of message: PortMessage) -> String {
    let words = message.components?.compactMap { $0 as? Data } ?? []
    return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
}
