// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// Sends the questions, requests and answers of a center through a center's transport.
final class TransportSender: CenterSender, @unchecked Sendable {
    // Sendable: constant, but for the weak reference, which the runtime guards.

    private weak let transport: (any DistributedTransport)?

    init(_ transport: any DistributedTransport) { self.transport = transport }

    override var ownPeer: DistributedPeer? { transport?.ownPeer }

    override var isConnected: Bool { transport?.isConnected ?? false }

    override var sharesGroups: Bool { transport?.sharesGroups ?? false }

    override func mayBeHeard(_ name: String, _ object: String?) -> Bool {
        (transport as? DirectSender)?.mayBeHeard(.name(name), object) ?? true
    }

    override func send(_ name: String, _ object: String?, _ payload: DistributedPayload) throws {
        _ = try transport?.send(
            OutgoingNotification(
                name: name, object: object, payload: payload, deliversImmediately: true))
    }

    override func ask(
        _ name: String, _ object: String, _ payload: DistributedPayload,
        context: [String: String]
    ) throws -> DistributedAskResult {
        try transport?.ask(
            OutgoingNotification(
                name: name, object: object, payload: payload, deliversImmediately: true,
                context: context)) ?? DistributedAskResult()
    }

    override var noticesEnds: Bool { transport?.tracksDelivery ?? true }

    override func look(after peer: DistributedPeer, within limit: Duration) async {
        _ = await transport?.ping(peer, within: limit)
    }

    override func unready(within limit: Duration) async -> Set<String> {
        Set(await transport?.waitUntilReady(within: limit).map(\.id) ?? [])
    }
}
