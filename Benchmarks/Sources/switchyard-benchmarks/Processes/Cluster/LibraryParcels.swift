// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import BenchmarkHarness
internal import CNATSClient
internal import Foundation

/// A connection of libnats, which publishes one message again and again: with the same subject,
/// reply subject, headers and length as ours, so that as many bytes go to the server and from
/// there.
final class LibraryParcels: Parcels, @unchecked Sendable {
    // Sendable: libnats locks what is behind the connection; one thread at a time posts.
    private let connection: OpaquePointer
    private let pings: OpaquePointer
    private let pongs: OpaquePointer

    init?(_ url: String, sendsAtOnce: Bool) {
        var options: OpaquePointer?
        var connection: OpaquePointer?
        guard natsOptions_Create(&options) == NATS_OK,
            natsOptions_SetURL(options, url) == NATS_OK,
            natsOptions_SetSendAsap(options, sendsAtOnce) == NATS_OK,
            natsConnection_Connect(&connection, options) == NATS_OK,
            let connection, let pings = Self.message(.ping), let pongs = Self.message(.pong)
        else { return nil }
        natsOptions_Destroy(options)
        self.connection = connection
        self.pings = pings
        self.pongs = pongs
    }

    private static func subject(_ direction: Direction) -> String {
        "switchyard.default.-." + direction.name.rawValue
    }

    private static func message(_ direction: Direction) -> OpaquePointer? {
        var message: OpaquePointer?
        let data = [CChar](repeating: 0x78, count: 100)
        let reply = "_SWY.0123456789abcdef.0000000000000001.00000001.0000000000000001.b"
        guard natsMsg_Create(&message, subject(direction), reply, data, 100) == NATS_OK else {
            return nil
        }
        let headers = [
            ("ce-specversion", "1.0"), ("ce-type", direction.name.rawValue),
            ("ce-source", "//host/switchyard-benchmarks/12345#0123456789abcdef"),
            ("ce-datacontenttype", "application/octet-stream"),
            ("ce-id", "0123456789abcdef-0000000000000001"),
            ("ce-time", "2026-01-01T00:00:00.000000Z"),
        ]
        for (name, value) in headers { natsMsgHeader_Set(message, name, value) }
        return message
    }

    /// Whether the server has handled all messages so far.
    func isThrough() -> Bool { natsConnection_FlushTimeout(connection, 5_000) == NATS_OK }

    func post(_ stamp: Stamp, _ direction: Direction) {
        let message = direction == .ping ? pings : pongs
        // The bytes are the message's own memory: no other thread looks at it, and publishing
        // copies it.
        let bytes = UnsafeMutableRawPointer(mutating: natsMsg_GetData(message))
        bytes?.storeBytes(of: stamp.time, as: Int64.self)
        bytes?.storeBytes(of: stamp.round, toByteOffset: 8, as: UInt32.self)
        bytes?.storeBytes(of: stamp.index, toByteOffset: 12, as: UInt32.self)
        natsConnection_PublishMsg(connection, message)
    }

    /// The receiver, which stays as long as the process.
    private final class Listener: Sendable {
        let receive: @Sendable (Stamp) -> Void
        init(_ receive: @escaping @Sendable (Stamp) -> Void) { self.receive = receive }
    }

    func observe(
        _ direction: Direction, _ receive: @escaping @Sendable (Stamp) -> Void
    ) -> any Sendable {
        let listener = Listener(receive)
        var subscription: OpaquePointer?
        natsConnection_Subscribe(
            &subscription, connection, Self.subject(direction),
            { _, _, message, place in
                guard let message, let place, let data = natsMsg_GetData(message) else { return }
                let bytes = UnsafeRawPointer(data)
                let stamp = Stamp(
                    time: bytes.loadUnaligned(as: Int64.self),
                    round: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self),
                    index: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
                Unmanaged<Listener>.fromOpaque(place).takeUnretainedValue().receive(stamp)
                natsMsg_Destroy(message)
            }, Unmanaged.passRetained(listener).toOpaque())
        // The subscription has no limit: by default it throws waiting messages away.
        natsSubscription_SetPendingLimits(subscription, -1, -1)
        return listener
    }
}
#endif
