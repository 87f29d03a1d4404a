// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard
internal import SwitchyardDistributed

/// The direction of a message: from the poster, or back to it.
enum Direction {
    case ping
    case pong

    var name: Notification.Name { Notification.Name(self == .ping ? "Ping" : "Pong") }
}

/// A way to send stamps with ours, about 100 bytes each.
protocol Parcels: Sendable {
    func post(_ stamp: Stamp, _ direction: Direction)
    /// Calls `receive` on the receiving thread, until the result is let go.
    func observe(
        _ direction: Direction, _ receive: @escaping @Sendable (Stamp) -> Void
    ) -> any Sendable
}

/// Bytes, of which the receiver reads the stamp alone.
struct OpaqueParcels: Parcels {
    let center: DistributedNotificationCenter

    func post(_ stamp: Stamp, _ direction: Direction) {
        withUnsafeTemporaryAllocation(byteCount: 100, alignment: 8) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0x78)
            bytes.storeBytes(of: stamp.time, as: Int64.self)
            bytes.storeBytes(of: stamp.round, toByteOffset: 8, as: UInt32.self)
            bytes.storeBytes(of: stamp.index, toByteOffset: 12, as: UInt32.self)
            // No center refuses the message: it is short enough.
            _ = try? center.post(name: direction.name, bytes: bytes.bytes)
        }
    }

    func observe(
        _ direction: Direction, _ receive: @escaping @Sendable (Stamp) -> Void
    ) -> any Sendable {
        center.observe(undecoded: direction.name, on: .poster) { received in
            let stamp = received.withUnsafeBytes { bytes in
                Stamp(
                    time: bytes.loadUnaligned(as: Int64.self),
                    round: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self),
                    index: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            }
            receive(stamp)
        }
    }
}

/// A dictionary with three keys, all of which the receiver reads.
struct UserInfoParcels: Parcels {
    let center: DistributedNotificationCenter

    func post(_ stamp: Stamp, _ direction: Direction) {
        center.post(
            name: direction.name, object: nil,
            userInfo: [
                "time": Int(stamp.time), "round": Int(stamp.round), "text": filler,
            ])
    }

    func observe(
        _ direction: Direction, _ receive: @escaping @Sendable (Stamp) -> Void
    ) -> any Sendable {
        center.observe(direction.name, on: .poster) { note in
            guard let time = note.userInfo?["time"] as? Int,
                let round = note.userInfo?["round"] as? Int,
                let text = note.userInfo?["text"] as? String, !text.isEmpty
            else { return }
            receive(Stamp(time: Int64(time), round: UInt32(truncatingIfNeeded: round), index: 0))
        }
    }
}

/// Values of `Codable` types, which the receiver decodes.
struct CodableParcels: Parcels {
    let center: DistributedNotificationCenter
    /// The group of receivers, each message for one of them; nil if each is for all.
    var group: String?

    private struct There: DistributedMessage {
        var time: Int64
        var round: UInt32
        var text = filler
    }

    private struct Back: DistributedMessage {
        var time: Int64
        var round: UInt32
        var text = filler
    }

    func post(_ stamp: Stamp, _ direction: Direction) {
        // No center refuses the message: it is short enough.
        switch direction {
        case .ping: _ = try? center.post(There(time: stamp.time, round: stamp.round))
        case .pong: _ = try? center.post(Back(time: stamp.time, round: stamp.round))
        }
    }

    func observe(
        _ direction: Direction, _ receive: @escaping @Sendable (Stamp) -> Void
    ) -> any Sendable {
        let options = group.map { ObservationOptions.inGroup($0) } ?? .standard
        switch direction {
        case .ping:
            return center.observe(There.self, on: .poster, options: options) {
                receive(Stamp(time: $0.time, round: $0.round, index: 0))
            }
        case .pong:
            return center.observe(Back.self, on: .poster, options: options) {
                receive(Stamp(time: $0.time, round: $0.round, index: 0))
            }
        }
    }
}

/// A text for messages, which have about 100 bytes with keys and numbers.
let filler = "as much as people write in such a place"
