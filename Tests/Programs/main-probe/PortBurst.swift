// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// Eight threads send as fast as they can to a port on main, which another thread added.
enum PortBurst {
    static let senders = 8
    static let total = ThreadChurn.isSanitized ? 80_000 : 1_000_000

    @MainActor private final class Receiver: PortDelegate {
        private var next = Array(repeating: 0, count: PortBurst.senders)
        private var received = 0
        private var isOnMain = true
        private let start = Date()

        nonisolated func handle(_ message: PortMessage) {
            let (id, bytes) = (Int(message.msgid), (message.components?.first as? Data)?.count)
            let isOnMain = Thread.isMainThread
            MainActor.assumeIsolated { receive(id, bytes, isOnMain) }
        }

        private func receive(_ id: Int, _ bytes: Int?, _ isOnMain: Bool) {
            let (sender, number) = (id % PortBurst.senders, id / PortBurst.senders)
            guard next[sender] == number, bytes == number % 12 else {
                print("of \(sender) came \(number) with \(bytes ?? -1) bytes, not \(next[sender])")
                exit(1)
            }
            next[sender] += 1
            received += 1
            self.isOnMain = self.isOnMain && isOnMain
            if received < PortBurst.total { return }
            print("all in order")
            print("on main: \(self.isOnMain)")
            print("\(Int(Double(received) / -start.timeIntervalSinceNow)) messages a second")
            exit(0)
        }
    }

    /// The receiver is no local variable: the port holds it weakly, and an optimised build would
    /// let it go.
    @MainActor private static let receiver = Receiver()

    @MainActor static func run() {
        Switchyard.NotificationCenter.default.onProblem { _ in }
        let port = ThreadPort()
        port.setDelegate(receiver)
        let adder = Thread {
            RunLoop.main.add(port, forMode: .common)
            for sender in 0..<senders { send(to: port, as: sender) }
        }
        adder.start()
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }

    nonisolated private static func send(to port: ThreadPort, as sender: Int) {
        let thread = Thread {
            for number in 0..<total / senders {
                let data = Data(count: number % 12)
                guard
                    (try? port.send(id: UInt32(number * senders + sender), components: [data]))
                        != nil
                else { exit(1) }
            }
        }
        thread.start()
    }
}
