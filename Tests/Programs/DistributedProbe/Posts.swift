// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import Synchronization

extension Probe {
    func post(
        _ posting: Posts, on center: DistributedNotificationCenter, _ answer: inout Answer
    ) throws {
        for number in posting.first..<posting.first + posting.count {
            let receipt = try posting.post(number, on: center)
            answer.number += Double(receipt.queued + receipt.delivered)
            answer.dropped += receipt.dropped
        }
    }
}

extension Posts {
    @discardableResult
    func post(_ number: Int, on center: DistributedNotificationCenter) throws -> PostReceipt {
        let options: DistributedNotificationCenter.Options =
            isImmediate ? .deliverImmediately : []
        if form == .message {
            return try center.post(
                Sample(number: number, text: name), subject: object, options: options)
        }
        if isKept {
            return center.post(
                name: Notification.Name(name), object: object, userInfo: ["n": number],
                retaining: .latest)
        }
        return try center.post(
            name: Notification.Name(name), object: object, payload: payload(number),
            options: options)
    }
}

/// A thread that posts until it is stopped.
///
/// After each batch, the thread waits until the peers it minds have answered, or for a moment. So
/// it posts as fast as peers that are not stopped can hear, and no faster.
final class Stream: Sendable {
    private let isStopped = Atomic<Bool>(false)
    private let posted = Board<(count: Int, hasEnded: Bool)>((0, false))

    init(_ posting: Posts, on center: DistributedNotificationCenter, minding minded: [String]) {
        let thread = Thread { [self] in run(posting, center, Set(minded)) }
        thread.name = "stream"
        thread.start()
    }

    private func run(
        _ posting: Posts, _ center: DistributedNotificationCenter, _ minded: Set<String>
    ) {
        let mindsAll = minded.isEmpty
        var number = posting.first
        while !isStopped.load(ordering: .acquiring) {
            for _ in 0..<posting.count {
                _ = try? posting.post(number, on: center)
                number += 1
            }
            let peers = center.peers.map(\.peer).filter { mindsAll || minded.contains($0.id) }
            for peer in peers {
                _ = block { await center.ping(peer, within: .milliseconds(mindsAll ? 50 : 60_000)) }
            }
            let count = number - posting.first
            posted.change { $0.count = count }
        }
        posted.change { $0.hasEnded = true }
    }

    var count: Int { posted.current.count }

    func stop() -> Int {
        isStopped.store(true, ordering: .releasing)
        return posted.wait { $0.hasEnded }.count
    }
}
