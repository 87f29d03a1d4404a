// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks

/// A process's end of what carries messages. Each message says of which round it is, so that what
/// is left of one round is no part of another.
protocol Endpoint {
    /// Makes ready for so many messages of a round, with which to do what `kind` says; false when
    /// that does not work. From then on others may post.
    func prepare(_ kind: Order.Kind, _ round: UInt32, _ count: Int) -> Bool

    /// How long each of so many messages and their answers took, in nanoseconds; nil when it
    /// failed.
    func roundTrips(_ round: UInt32, _ count: Int) -> [Int64]?
    /// Posts so many as fast as it can. Returns when it began; nil when it failed.
    func post(_ round: UInt32, _ count: Int) -> Int64?
    /// Posts one each millisecond, with its time in it.
    func postPaced(_ round: UInt32, _ count: Int) -> Bool

    /// Answers so many messages.
    func echo(_ round: UInt32, _ count: Int) -> Bool
    /// Receives so many messages, or what comes of them; and when the last one came.
    func receive(_ round: UInt32, _ count: Int) -> (count: Int, last: Int64)
    /// The same; how old each was, in nanoseconds.
    func receiveTimed(_ round: UInt32, _ count: Int) -> [Int64]
}

/// What processes use.
enum Transport: String {
    case stream
    case dbus
    case redis
    case nats
    case switchyardOpaque
    case switchyardUserInfo
    case switchyardCodable
    case clusterOpaque
    case clusterUserInfo
    case clusterCodable
    case libnats
    case libnatsAtOnce
}

extension Transport {
    /// An end of it, connected, and listening; nil when that does not work.
    func open(_ arguments: ChildArguments) -> (any Endpoint)? {
        switch self {
        case .stream: LinkEndpoint(BENCHMARKS_STREAM, arguments)
        case .dbus: LinkEndpoint(BENCHMARKS_DBUS, arguments)
        case .redis: LinkEndpoint(BENCHMARKS_REDIS, arguments)
        case .nats: LinkEndpoint(BENCHMARKS_NATS, arguments)
        case .switchyardOpaque: SwitchyardProcesses.endpoint(.opaque, arguments)
        case .switchyardUserInfo: SwitchyardProcesses.endpoint(.userInfo, arguments)
        case .switchyardCodable: SwitchyardProcesses.endpoint(.codable, arguments)
        case .clusterOpaque: ClusterProcesses.endpoint(.opaque, arguments)
        case .clusterUserInfo: ClusterProcesses.endpoint(.userInfo, arguments)
        case .clusterCodable: ClusterProcesses.endpoint(.codable, arguments)
        case .libnats: LibraryProcesses.endpoint(arguments, sendsAtOnce: false)
        case .libnatsAtOnce: LibraryProcesses.endpoint(arguments, sendsAtOnce: true)
        }
    }
}
