// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed

/// Prints the notifications that it hears, each in two ways.
func hear() -> [ObservationToken] {
    [
        center.observe(undecoded: .sample, using: tell),
        center.observe(undecoded: Added.name, using: tell),
        center.observe(.sample) { note in say("  \(describe(note.userInfo ?? [:]))") },
        center.observe(Added.self) { message in say("  \(message)") },
        center.observe(.enough) { _ in
            center.post(name: .goodbye, object: nil)
            exit(0)
        },
    ]
}

@Sendable func tell(_ received: ReceivedNotification) {
    guard received.sender.id != center.ownPeer.id else { return }
    let object = received.object.map { " about \"\($0)\"" } ?? ""
    say("\(received.sequence) \(received.name.rawValue)\(object)")
}

func ask() async {
    for peer in center.peers.map(\.peer) {
        let isAlive = await center.ping(peer, within: .seconds(60)) != nil
        let status = await center.status(of: peer, within: .seconds(60))
        say("\(peer.processName): answers \(isAlive), has a status \(status != nil)")
    }
    center.post(name: .here, object: nil)
}

/// A value with its type, the same each time.
func describe(_ value: Any) -> String {
    switch value {
    case let entries as [AnyHashable: Any]:
        let texts = entries.map { key, value in "\(key): \(describe(value))" }
        return "[" + texts.sorted().joined(separator: ", ") + "]"
    case let values as [Any]: return "[" + values.map(describe).joined(separator: ", ") + "]"
    case let data as Data: return "Data(" + data.map { String($0, radix: 16) }.joined() + ")"
    case let date as Date: return "Date(\(date.timeIntervalSinceReferenceDate))"
    default: return "\(type(of: value))(\(value))"
    }
}
