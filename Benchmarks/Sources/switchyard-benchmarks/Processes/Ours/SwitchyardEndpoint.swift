// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks
internal import Foundation
internal import SwitchyardDistributed

extension SwitchyardProcesses {
    static func endpoint(
        _ payload: ProcessesQuestion.Payload, _ arguments: ChildArguments
    ) -> (any Endpoint)? {
        // The sockets stand in the fleet's folder, and go with it.
        setenv("XDG_RUNTIME_DIR", arguments.folder, 1)
        let domain = arguments.folder.split(separator: "/").joined(separator: "-")
        guard let center = try? DistributedNotificationCenter(domain: domain) else { return nil }
        return center.endpoint(payload, arguments)
    }
}

extension DistributedNotificationCenter {
    /// An end of the center's transport.
    func endpoint(
        _ payload: ProcessesQuestion.Payload, _ arguments: ChildArguments
    ) -> (any Endpoint)? {
        let isPoster = arguments.receivers > 0
        // A process that does not answer in time will be missed later.
        func isReady() -> Bool { blockUntilReady(within: .seconds(5)).isEmpty }
        return switch payload {
        case .opaque:
            ParcelsEndpoint(OpaqueParcels(center: self), isPoster: isPoster, isReady: isReady)
        case .userInfo:
            ParcelsEndpoint(UserInfoParcels(center: self), isPoster: isPoster, isReady: isReady)
        case .codable:
            ParcelsEndpoint(CodableParcels(center: self), isPoster: isPoster, isReady: isReady)
        case .job:
            ParcelsEndpoint(
                CodableParcels(center: self, group: "workers"), isPoster: isPoster,
                isReady: isReady)
        case .request: RequestEndpoint(self, isPoster: isPoster, isReady: isReady)
        }
    }
}
