// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

/// Ours: a distributed center in each process.
struct SwitchyardProcesses: ProcessesSubject {
    let name = "Switchyard"
    let role = Role.switchyard

    func transport(for payload: ProcessesQuestion.Payload) -> Transport? {
        switch payload {
        case .opaque: .switchyardOpaque
        case .userInfo: .switchyardUserInfo
        case .codable: .switchyardCodable
        case .request: .switchyardRequest
        case .job: .switchyardJob
        }
    }
}
