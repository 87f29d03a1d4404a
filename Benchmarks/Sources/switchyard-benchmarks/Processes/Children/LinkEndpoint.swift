// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks

/// A link in C, which blocks.
final class LinkEndpoint: Endpoint {
    private let link: OpaquePointer

    init?(_ wire: benchmarks_protocol, _ arguments: ChildArguments) {
        guard
            let link = benchmarks_link_open(wire, arguments.address, Int32(arguments.receivers))
        else { return nil }
        self.link = link
    }

    deinit { benchmarks_link_close(link) }

    func prepare(_ kind: Order.Kind, _ round: UInt32, _ count: Int) -> Bool {
        benchmarks_link_prepare(link)
    }

    func roundTrips(_ round: UInt32, _ count: Int) -> [Int64]? {
        var nanoseconds = [Int64](repeating: 0, count: count)
        let isDone = benchmarks_link_round_trips(link, round, Int64(count), &nanoseconds)
        return isDone ? nanoseconds : nil
    }

    func post(_ round: UInt32, _ count: Int) -> Int64? {
        let start = benchmarks_link_post(link, round, Int64(count))
        return start > 0 ? start : nil
    }

    func postPaced(_ round: UInt32, _ count: Int) -> Bool {
        benchmarks_link_post_paced(link, round, Int64(count), 1_000_000)
    }

    func echo(_ round: UInt32, _ count: Int) -> Bool {
        benchmarks_link_echo(link, round, Int64(count))
    }

    func receive(_ round: UInt32, _ count: Int) -> (count: Int, last: Int64) {
        let receipt = benchmarks_link_receive(link, round, Int64(count), nil)
        return (Int(receipt.count), receipt.last)
    }

    func receiveTimed(_ round: UInt32, _ count: Int) -> [Int64] {
        var ages = [Int64](repeating: 0, count: count)
        let receipt = benchmarks_link_receive(link, round, Int64(count), &ages)
        return Array(ages.prefix(Int(receipt.count)))
    }
}
