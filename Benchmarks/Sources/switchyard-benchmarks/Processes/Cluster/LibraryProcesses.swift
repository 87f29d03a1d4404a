// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

/// The C client alone, with a message that is encoded once: the rest is the cost of ours.
struct LibraryProcesses: ProcessesSubject {
    let role = Role.limit
    /// Whether libnats writes a message at once, or when its own thread gets to it.
    let sendsAtOnce: Bool

    var name: String { sendsAtOnce ? "libnats, at once" : "libnats, as it is" }
    var server: ServerProgram? { NATSProcesses().server }
    var missing: String? { Self.missing(name) }

    /// The transport is the same for every payload: nothing is encoded or decoded.
    func transport(for payload: ProcessesQuestion.Payload) -> Transport? {
        sendsAtOnce ? .libnatsAtOnce : .libnats
    }

    /// A note for the reader when the table can't be measured; nil when it can.
    static func missing(_ name: String) -> String? {
        #if NATS
        guard let server = NATSProcesses().server, server.path == nil else { return nil }
        return "\(name) is not measured, because there is no \(server.name): "
            + "apt-get install \(server.package)"
        #else
        return "\(name) is not measured: apt-get install libnats-dev nats-server, and build with "
            + "--traits NATS"
        #endif
    }

    static func endpoint(_ arguments: ChildArguments, sendsAtOnce: Bool) -> (any Endpoint)? {
        #if NATS
        let url = "nats://127.0.0.1:" + arguments.address
        guard let parcels = LibraryParcels(url, sendsAtOnce: sendsAtOnce) else { return nil }
        return ParcelsEndpoint(parcels, isPoster: arguments.receivers > 0) {
            parcels.isThrough()
        }
        #else
        return nil
        #endif
    }
}
