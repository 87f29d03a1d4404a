// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyard
import Foundation
import SwitchyardCore
import SwitchyardDistributed

/// The name of the running context: "main" for the main actor's queue, or the thread's name.
var currentThread: String {
    String(cString: switchyard_current_queue_label()) == "com.apple.main-thread"
        ? "main" : ThreadName.current
}

/// Waits for a condition that is not reported.
///
/// - Throws: An error when the condition has not come true in two minutes.
func spin(until isSo: () -> Bool) throws {
    let limit = ContinuousClock.now + .seconds(120)
    while !isSo() {
        if ContinuousClock.now > limit { throw ProbeError("what was waited for did not come true") }
        sched_yield()
    }
}

/// Runs async code, and blocks the calling thread until it has ended.
func block<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result {
    let result = Board<Result?>(nil)
    Task.detached {
        let value = await body()
        result.change { $0 = value }
    }
    while true {
        if let value = result.wait(until: { $0 != nil }) { return value }
    }
}

extension Peer {
    init(_ peer: DistributedPeer) {
        self.init(DistributedPeerStatus(peer: peer, interests: nil))
    }

    init(_ status: DistributedPeerStatus) {
        self.init(
            id: status.peer.id, process: status.peer.processIdentifier,
            name: status.peer.processName,
            interests: status.interests.map { $0.map(\.description).sorted() }, sent: status.sent,
            queuedBytes: status.queuedBytes, lost: status.lost, received: status.received,
            missed: status.missed)
    }
}

extension Costs {
    /// The costs of this process, from /proc.
    static func current() throws -> Costs {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let pages = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        let switches = threads.reduce(0) { sum, thread in
            let text = try? String(
                contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
            return sum + (text.map { field("voluntary_ctxt_switches", in: $0) } ?? 0)
        }
        // The three standard files, and the one that reads this folder, are no costs.
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return Costs(
            residentMemory: field("VmRSS", in: status),
            privateMemory: field("Private_Dirty", in: pages), threads: threads.count,
            voluntarySwitches: switches, openFiles: files.count - 4)
    }

    private static func field(_ name: String, in text: String) -> Int {
        for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
            return Int(line.dropFirst(name.count + 1).filter(\.isNumber)) ?? 0
        }
        return 0
    }
}
