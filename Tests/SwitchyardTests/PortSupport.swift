// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import Synchronization
import TestSupport

/// A port's delegate that calls a closure.
final class PortListener: PortDelegate {
    private let receive: (PortMessage) -> Void

    init(_ receive: @escaping (PortMessage) -> Void) { self.receive = receive }

    func handle(_ message: PortMessage) { receive(message) }
}

/// A thread with a port on its run loop, which it runs until it is stopped or has no port.
final class PortThread: Sendable {
    let port: ThreadPort
    let log = Log<String>()
    let ended = Gate()
    private let isStopped = Atomic<Bool>(false)

    /// - Parameters:
    ///   - port: the port to add to the thread's run loop.
    ///   - modes: the modes in which to add the port.
    ///   - receive: called by the port's delegate, on the thread.
    init(
        _ name: String = "receiver", port: ThreadPort = ThreadPort(),
        modes: [RunLoop.Mode] = [.default],
        _ receive: @escaping @Sendable (PortMessage, Log<String>) -> Void
    ) {
        self.port = port
        let ready = Gate()
        let thread = Thread { [self] in
            ThreadName.current = name
            let listener = PortListener { [log] in receive($0, log) }
            port.setDelegate(listener)
            for mode in modes { RunLoop.current.add(port, forMode: mode) }
            ready.open()
            while !isStopped.load(ordering: .acquiring),
                RunLoop.current.run(mode: .default, before: .distantFuture)
            {}
            withExtendedLifetime(listener) {}
            ended.open()
        }
        thread.start()
        ready.wait()
    }

    /// Has the thread leave its loop, and waits until it has.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        port.invalidate()
        ended.wait()
    }
}

/// Runs the calling thread's loop until `condition` holds, a minute at most.
func runLoop(in mode: RunLoop.Mode = .default, until condition: () -> Bool) {
    let limit = Date(timeIntervalSinceNow: 60)
    while !condition(), Date() < limit {
        let soon = Date(timeIntervalSinceNow: 1)
        guard RunLoop.current.run(mode: mode, before: soon) else { break }
    }
}

/// Runs the calling thread's loop once, for the work that is there now.
@discardableResult
func runLoopOnce(in mode: RunLoop.Mode = .default) -> Bool {
    RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: -1))
}

extension PortMessage {
    /// The components as data; nil if one of them is not data.
    var data: [Data]? { components?.compactMap { $0 as? Data } }
}
