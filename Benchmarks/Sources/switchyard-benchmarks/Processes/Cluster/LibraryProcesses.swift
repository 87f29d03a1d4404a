// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

/// The C client alone, with a message that is encoded once: what ours adds is what it costs.
struct LibraryProcesses: ProcessesSubject {
    let role = Role.limit
    /// Whether it writes what is published at once, or when its thread for that gets to it.
    let sendsAtOnce: Bool

    var name: String { sendsAtOnce ? "libnats, at once" : "libnats, as it is" }
    var server: ServerProgram? { NATSProcesses().server }
    var missing: String? { Self.missing(name) }

    /// The same for every payload: nobody encodes or decodes.
    func transport(for payload: ProcessesQuestion.Payload) -> Transport? {
        sendsAtOnce ? .libnatsAtOnce : .libnats
    }

    /// What a reader is told when the table can't be measured; nil when it can.
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
