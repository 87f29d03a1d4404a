// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks

/// A process's end of a transport. Each message has its round's number, so that messages left of
/// one round are no part of another.
protocol Endpoint {
    /// Makes ready for so many messages of a round, to be treated as `kind` says; false when that
    /// does not work. From then on other processes may post.
    func prepare(_ kind: Order.Kind, _ round: UInt32, _ count: Int) -> Bool

    /// The times of so many messages with their answers, in nanoseconds; nil when that failed.
    func roundTrips(_ round: UInt32, _ count: Int) -> [Int64]?
    /// Posts so many messages as fast as it can. Returns the time of the beginning; nil when it
    /// failed.
    func post(_ round: UInt32, _ count: Int) -> Int64?
    /// Posts a message each millisecond, with its time in it.
    func postPaced(_ round: UInt32, _ count: Int) -> Bool

    /// Answers so many messages.
    func echo(_ round: UInt32, _ count: Int) -> Bool
    /// Receives so many messages, or as many as come. Returns their number and the time of the last
    /// one.
    func receive(_ round: UInt32, _ count: Int) -> (count: Int, last: Int64)
    /// Receives so many messages, and returns the age of each, in nanoseconds.
    func receiveTimed(_ round: UInt32, _ count: Int) -> [Int64]
}

/// The transport of processes.
enum Transport: String {
    case stream
    case dbus
    case redis
    case nats
    case switchyardOpaque
    case switchyardUserInfo
    case switchyardCodable
    case switchyardRequest
    case switchyardJob
    case clusterOpaque
    case clusterUserInfo
    case clusterCodable
    case clusterRequest
    case clusterJob
    case libnats
    case libnatsAtOnce
}

extension Transport {
    /// Opens an end of the transport, connected and listening; nil when that does not work.
    func open(_ arguments: ChildArguments) -> (any Endpoint)? {
        switch self {
        case .stream: LinkEndpoint(BENCHMARKS_STREAM, arguments)
        case .dbus: LinkEndpoint(BENCHMARKS_DBUS, arguments)
        case .redis: LinkEndpoint(BENCHMARKS_REDIS, arguments)
        case .nats: LinkEndpoint(BENCHMARKS_NATS, arguments)
        case .switchyardOpaque: SwitchyardProcesses.endpoint(.opaque, arguments)
        case .switchyardUserInfo: SwitchyardProcesses.endpoint(.userInfo, arguments)
        case .switchyardCodable: SwitchyardProcesses.endpoint(.codable, arguments)
        case .switchyardRequest: SwitchyardProcesses.endpoint(.request, arguments)
        case .switchyardJob: SwitchyardProcesses.endpoint(.job, arguments)
        case .clusterOpaque: ClusterProcesses.endpoint(.opaque, arguments)
        case .clusterUserInfo: ClusterProcesses.endpoint(.userInfo, arguments)
        case .clusterCodable: ClusterProcesses.endpoint(.codable, arguments)
        case .clusterRequest: ClusterProcesses.endpoint(.request, arguments)
        case .clusterJob: ClusterProcesses.endpoint(.job, arguments)
        case .libnats: LibraryProcesses.endpoint(arguments, sendsAtOnce: false)
        case .libnatsAtOnce: LibraryProcesses.endpoint(arguments, sendsAtOnce: true)
        }
    }
}
