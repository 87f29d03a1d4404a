// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks
internal import Foundation

/// A process of ours, from outside: this program, started again.
final class Child {
    private let process: pid_t
    private let control: ControlChannel
    private let name: String

    init(_ arguments: ChildArguments, _ name: String) {
        self.name = name
        var ends: [Int32] = [-1, -1]
        guard benchmarks_channel(&ends) else { Workspace.fail("no channel to a child") }
        control = ControlChannel(ends[0])
        process = ThisProgram.start(arguments.words, control: ends[1])
        close(ends[1])
    }

    func order(_ kind: Order.Kind, _ round: Int64, _ count: Int) {
        let order = Order(kind: kind.rawValue, round: round, count: Int64(count))
        if !control.send(order) { fail() }
    }

    func waitUntilReady() {
        guard let reply = control.receive(Reply.self), reply.isReady else { fail() }
    }

    func result() -> Reply {
        guard let reply = control.receive(Reply.self), !reply.isReady else { fail() }
        return reply
    }

    /// Stops it where it is; returns when it has stopped.
    func suspend() {
        kill(process, SIGSTOP)
        var status: Int32 = 0
        waitpid(process, &status, WUNTRACED)
    }

    func resume() { kill(process, SIGCONT) }

    func stop() {
        // The child takes the closed channel as the end.
        control.end()
        Workspace.end(process, with: nil)
    }

    private func fail() -> Never { Workspace.fail("\(name): a process ended before its time") }
}
