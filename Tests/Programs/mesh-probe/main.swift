// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// One of two processes between which so many notifications go, for a tool that counts instructions:
//
//     mesh-probe hear ROW COUNT DOMAIN    ends when it has heard them
//     mesh-probe post ROW COUNT DOMAIN    posts them when somebody hears

import SwitchyardDistributed

private struct Entry: DistributedMessage {
    static let name = Notification.Name("ProbeEntry")
    var time: Int64
    var round: UInt32
    var text = filler
}

private let filler = "as much as people write in such a place"
private let name = Notification.Name("Probe")
private let finished = DispatchSemaphore(value: 0)

/// Counts what was heard, on the thread that hears.
private final class Count: @unchecked Sendable {
    // Sendable: of one thread.
    private var left: Int
    init(_ left: Int) { self.left = left }

    func hear() {
        left -= 1
        if left == 0 { finished.signal() }
    }
}

/// The row without its context.
private func kind(_ row: String) -> String { row.replacing("-queue", with: "") }

private func post(_ row: String, _ count: Int, _ center: DistributedNotificationCenter) {
    let kind = kind(row)
    for number in 0..<count {
        switch kind {
        case "opaque":
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
            _ = try? center.post(
                name: name, object: nil, payload: DistributedPayload(bytes: bytes))
        case "bytes":
            withUnsafeTemporaryAllocation(byteCount: 100, alignment: 8) { bytes in
                _ = bytes.initializeMemory(
                    as: UInt8.self, repeating: UInt8(truncatingIfNeeded: number))
                _ = try? center.post(name: name, bytes: bytes.bytes)
            }
        case "info":
            center.post(
                name: name, object: nil,
                userInfo: ["time": number, "round": number, "text": filler])
        default: _ = try? center.post(Entry(time: Int64(number), round: 1))
        }
    }
}

private func observe(
    _ row: String, _ count: Count, _ center: DistributedNotificationCenter
) -> any Sendable {
    let context: DeliveryContext =
        row.hasSuffix("-queue") ? .dispatchQueue(DispatchQueue(label: "probe")) : .poster
    switch kind(row) {
    case "opaque", "bytes":
        return center.observe(undecoded: name, on: context) { received in
            if received.withUnsafeBytes({ $0.count }) == 100 { count.hear() }
        }
    case "info":
        return center.observe(name, on: context) { note in
            guard note.userInfo?["time"] is Int, note.userInfo?["round"] is Int,
                let text = note.userInfo?["text"] as? String, !text.isEmpty
            else { return }
            count.hear()
        }
    default: return center.observe(Entry.self, on: context) { if $0.round == 1 { count.hear() } }
    }
}

private let arguments = CommandLine.arguments
guard arguments.count == 5, let count = Int(arguments[3]) else {
    print("usage: mesh-probe hear|post ROW COUNT DOMAIN")
    exit(2)
}
private let center = try DistributedNotificationCenter(domain: arguments[4])
if arguments[1] == "hear" {
    let token = observe(arguments[2], Count(count), center)
    finished.wait()
    withExtendedLifetime(token) {}
} else {
    while center.peers.allSatisfy({ $0.interests?.isEmpty ?? true }) { usleep(10_000) }
    post(arguments[2], count, center)
    _ = center.blockUntilFlushed(within: .seconds(60))
}
exit(0)
