// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Sends questions and answers about latest values through a center's transport.
final class TransportLatestSender: LatestSender, @unchecked Sendable {
    // Sendable: constant.

    /// The longest time to wait until other processes know what is observed here.
    private static let patience = Duration.seconds(5)

    private weak let transport: (any DistributedTransport)?

    init(_ transport: (any DistributedTransport)?) { self.transport = transport }

    override func send(_ name: String, _ object: String?, _ payload: DistributedPayload) throws {
        _ = try transport?.send(
            OutgoingNotification(
                name: name, object: object, payload: payload, deliversImmediately: true))
    }

    override func ready() async { _ = await transport?.waitUntilReady(within: Self.patience) }
}
