// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation

/// One direction of a connection, which gives to one end the bytes that it takes from the other.
struct NetworkLane {
    private static var mostAtOnce: Int { 64 * 1024 }

    let path: NetworkPath
    let source: Int32
    let sink: Int32
    /// The bytes that were taken; the first `given` have been passed on.
    private var waiting: [UInt8] = []
    private var given = 0
    /// Whether no more bytes will come.
    private(set) var hasEnded = false

    init(_ path: NetworkPath, from source: Int32, to sink: Int32) {
        self.path = path
        self.source = source
        self.sink = sink
    }

    var isEmpty: Bool { given == waiting.count }

    /// Takes bytes from the source, if none wait.
    mutating func take() {
        guard isEmpty, !hasEnded else { return }
        given = 0
        var count = 0
        waiting = Array(unsafeUninitializedCapacity: Self.mostAtOnce) { bytes, filled in
            count = switchyard_socket_receive(source, bytes.baseAddress, bytes.count)
            filled = max(0, count)
        }
        hasEnded = count == 0 || count < 0 && count != -Int(EAGAIN)
    }

    /// Gives waiting bytes to the sink, as far as the faults and the sink allow.
    mutating func give(_ faults: inout NetworkFaults) {
        while !isEmpty {
            let count = faults.admitted(waiting.count - given)
            if count == 0 { return }
            let sent = waiting.withUnsafeBytes { bytes in
                switchyard_socket_send(sink, bytes.baseAddress.map { $0 + given }, count)
            }
            if sent == -Int(EAGAIN) { return }
            if sent < 0 {
                hasEnded = true
                given = waiting.count
                return
            }
            given += sent
            faults.bytesUntilCut? -= sent
        }
    }
}

/// A connection between two members. Each member has one end of a socket pair, whose other end is
/// the network's; the network carries bytes from one pair to the other.
struct NetworkWire {
    var lanes: [NetworkLane]
    /// The network's ends.
    let ends: [Int32]

    init(between one: String, _ other: String, _ ends: [Int32]) {
        self.ends = ends
        lanes = [
            NetworkLane(NetworkPath(from: one, to: other), from: ends[0], to: ends[1]),
            NetworkLane(NetworkPath(from: other, to: one), from: ends[1], to: ends[0]),
        ]
    }

    /// Whether one member has hung up, and the other has got all bytes that came before.
    var hasEnded: Bool { lanes.contains { $0.hasEnded && $0.isEmpty } }

    func connects(_ one: String, _ other: String) -> Bool {
        lanes.contains { $0.path == NetworkPath(from: one, to: other) }
    }
}
