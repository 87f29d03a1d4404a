// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks
internal import Foundation

/// This program, started by itself as a child.
enum ChildProgram {
    /// Does what the arguments say, and ends, if they are those of a child.
    static func runIfChild() {
        let words = Array(CommandLine.arguments.dropFirst())
        if let arguments = ChildArguments(words: words) { run(arguments) }
        if let arguments = ServerArguments(words: words) { run(arguments) }
    }

    private static func run(_ arguments: ChildArguments) -> Never {
        benchmarks_end_with(arguments.parent)
        arguments.placement.take(isPoster: arguments.receivers > 0)
        let control = ControlChannel(3)
        guard let endpoint = arguments.transport.open(arguments) else {
            fail(arguments, "it could not connect")
        }
        guard control.send(Reply.ready) else { exit(1) }
        // The parent closes the channel when the child is of no use any more.
        while let order = control.receive(Order.self) {
            guard let reply = obey(order, endpoint, control) else {
                fail(
                    arguments,
                    "of \(order.count) messages by \(arguments.transport), not all came back or "
                        + "could be sent")
            }
            guard control.send(reply) else { exit(1) }
        }
        exit(0)
    }

    /// The parent names the process that failed.
    private static func fail(_ arguments: ChildArguments, _ reason: String) -> Never {
        let role = arguments.receivers > 0 ? "the poster" : "a receiver"
        FileHandle.standardError.write(Data("\(role) ends: \(reason)\n".utf8))
        exit(1)
    }

    /// Returns what came of it; nil when it failed.
    private static func obey(
        _ order: Order, _ endpoint: any Endpoint, _ control: ControlChannel
    ) -> Reply? {
        let round = UInt32(truncatingIfNeeded: order.round)
        let count = Int(order.count)
        guard let kind = Order.Kind(rawValue: order.kind), endpoint.prepare(kind, round, count)
        else { return nil }
        switch kind {
        case .roundTrips:
            return endpoint.roundTrips(round, count).map { Reply(first: median($0), second: 0) }
        case .post:
            return endpoint.post(round, count).map { Reply(first: $0, second: 0) }
        case .postPaced:
            return endpoint.postPaced(round, count) ? Reply(first: 0, second: 0) : nil
        case .echo:
            guard control.send(Reply.ready), endpoint.echo(round, count) else { return nil }
            return Reply(first: order.count, second: 0)
        case .receive:
            guard control.send(Reply.ready) else { return nil }
            let receipt = endpoint.receive(round, count)
            return Reply(first: Int64(receipt.count), second: receipt.last)
        case .receiveTimed:
            guard control.send(Reply.ready) else { return nil }
            let ages = endpoint.receiveTimed(round, count)
            return Reply(first: Int64(ages.count), second: median(ages))
        }
    }

    private static func median(_ nanoseconds: [Int64]) -> Int64 {
        Int64(Statistics.median(nanoseconds.map(Double.init)) ?? 0)
    }

    private static func run(_ arguments: ServerArguments) -> Never {
        benchmarks_end_with(arguments.parent)
        // Between two processors it is free, wherever its clients are.
        if arguments.placement == .one { benchmarks_pin() }
        ThisProgram.become(arguments.path, arguments.words)
        exit(1)
    }
}
