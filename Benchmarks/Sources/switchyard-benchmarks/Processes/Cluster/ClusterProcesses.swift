// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import SwitchyardDistributed

#if NATS
internal import SwitchyardNATS
#endif

/// Ours, on a server of NATS.
struct ClusterProcesses: ProcessesSubject {
    let name = "Switchyard on NATS"
    let role = Role.switchyard

    var server: ServerProgram? { NATSProcesses().server }
    var missing: String? { LibraryProcesses.missing(name) }

    func transport(for payload: ProcessesQuestion.Payload) -> Transport? {
        switch payload {
        case .opaque: .clusterOpaque
        case .userInfo: .clusterUserInfo
        case .codable: .clusterCodable
        case .request: .clusterRequest
        case .job: .clusterJob
        }
    }

    static func endpoint(
        _ payload: ProcessesQuestion.Payload, _ arguments: ChildArguments
    ) -> (any Endpoint)? {
        #if NATS
        let transport = NATSTransport.nats("nats://127.0.0.1:" + arguments.address)
        let center = try? DistributedNotificationCenter(transport: transport)
        return center?.endpoint(payload, arguments)
        #else
        return nil
        #endif
    }
}
