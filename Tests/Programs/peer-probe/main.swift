// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import Synchronization

struct Added: DistributedMessage {
    var format: String
    var n: Int
}
let args = CommandLine.arguments
let center = try DistributedNotificationCenter(domain: "probe")
let name = Notification.Name("Ping")
final class Count: Sendable { let n = Atomic<Int>(0) }
let count = Count()
switch args[1] {
case "listen":
    let t1 = center.observe(name) { note in
        print("named", note.name.rawValue, note.object ?? "-", note.userInfo ?? [:])
    }
    let t2 = center.observe(Added.self) { print("typed", $0) }
    let t3 = center.observe(undecoded: nil, on: .poster) {
        print("raw", $0.name.rawValue, $0.sender, $0.sequence, try $0.userInfo ?? [:])
    }
    print("ready", center.ready(within: .seconds(1)))
    withExtendedLifetime((t1, t2, t3)) { RunLoop.main.run(until: Date(timeIntervalSinceNow: 3)) }
case "echo":
    let pong = Notification.Name("Pong")
    let payload = try DistributedPayload(bytes: Array(repeating: 7, count: 100))
    let t3 = center.observe(undecoded: name, on: .poster) { _ in
        _ = try center.post(name: pong, payload: payload)
    }
    withExtendedLifetime(t3) { RunLoop.main.run(until: Date(timeIntervalSinceNow: 300)) }
case "rtt":
    let pong = Notification.Name("Pong")
    let payload = try DistributedPayload(bytes: Array(repeating: 7, count: 100))
    let sem = DispatchSemaphore(value: 0)
    let box = Mutex<(start: ContinuousClock.Instant, all: [Duration])>((.now, []))
    let t3 = center.observe(undecoded: pong, on: .poster) { _ in
        let done = box.withLock { b in
            b.all.append(.now - b.start)
            b.start = .now
            return b.all.count >= 20000
        }
        if done { sem.signal() } else { _ = try center.post(name: name, payload: payload) }
    }
    print(center.ready(within: .seconds(1)))
    box.withLock { $0.start = .now }
    _ = try center.post(name: name, payload: payload)
    sem.wait()
    withExtendedLifetime(t3) {}
    let sorted = box.withLock { $0.all.sorted() }
    print("p50", sorted[sorted.count / 2], "p99", sorted[sorted.count * 99 / 100])
case "sink":
    let total = Int(args[2])!
    let start = Mutex<ContinuousClock.Instant?>(nil)
    let kind = args.count > 3 ? args[3] : "raw"
    @Sendable func hit() {
        if count.n.load(ordering: .relaxed) == 0 { start.withLock { $0 = .now } }
        if count.n.wrappingAdd(1, ordering: .relaxed).newValue == total {
            let d = ContinuousClock.now - start.withLock { $0! }
            print("sink", total, d, "losses", center.peers.map(\.missed))
            exit(0)
        }
    }
    center.onLoss { print("loss", $0) }
    let t: Any =
        kind == "raw"
        ? center.observe(undecoded: name, on: .poster) { _ in hit() }
        : kind == "info"
            ? center.observe(name, on: .poster) { n in if n.userInfo?["n"] != nil { hit() } }
            : kind == "main"
                ? center.observe(name) { n in if n.userInfo?["n"] != nil { hit() } }
                : center.observe(Added.self, on: .poster) { _ in hit() }
    print("listening")
    withExtendedLifetime(t) { RunLoop.main.run(until: Date(timeIntervalSinceNow: 300)) }
case "blast":
    let total = Int(args[2])!
    let sinks = Int(args[3])!
    let kind = args.count > 4 ? args[4] : "raw"
    let payload = try DistributedPayload(bytes: Array(repeating: 7, count: 100))
    while center.peers.filter({ $0.interests?.isEmpty == false }).count < sinks { usleep(1000) }
    let s = ContinuousClock.now
    switch kind {
    case "raw": for _ in 0..<total { _ = try center.post(name: name, payload: payload) }
    case "info", "main":
        for i in 0..<total {
            center.post(name: name, object: nil, userInfo: ["n": i, "s": "hello", "d": 2.5])
        }
    default: for i in 0..<total { try center.post(Added(format: "RTF", n: i)) }
    }
    print("posted", total, ContinuousClock.now - s)
    print(center.flush(within: .seconds(20)))
    for p in center.peers { print(p) }
case "join":
    var times: [Duration] = []
    for _ in 0..<15 {
        let s = ContinuousClock.now
        let c = try DistributedNotificationCenter(domain: "probe")
        let made = ContinuousClock.now - s
        let t = c.observe(name) { _ in }
        let missing = c.ready(within: .seconds(5))
        times.append(ContinuousClock.now - s)
        if times.count == 15 { print("made", made, "peers", c.peers.count, "missing", missing.count) }
        withExtendedLifetime(t) {}
    }
    print("joined median", times.sorted()[7], "min", times.min()!)
default: break
}
