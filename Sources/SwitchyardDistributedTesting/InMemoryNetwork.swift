// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import SwitchyardDistributed

/// Centers that hear each other inside one process, as if each were a process of its own: for tests.
///
/// ```swift
/// let network = InMemoryNetwork()
/// let converter = try network.center(named: "converter")
/// let window = try network.center(named: "window")
/// let token = window.observe(ConverterAdded.self, on: .poster) { formats.append($0.format) }
/// await window.ready(within: .seconds(10))
/// try converter.post(ConverterAdded(format: "RTF"))
/// ```
/// Everything but the file system takes part: the connections, the frames, the threads. Nothing is
/// heard by other networks, nor by other processes, so that tests run beside each other.
///
/// Between two centers, notifications can be held up, cut into pieces and lost with their connection:
/// ``hold(from:to:)``, ``limitPieces(from:to:bytes:)``, ``disconnect(_:_:)``. Nothing of that takes
/// time: it lasts until the test ends it.
///
/// Centers of a network go on for as long as they are kept, also without the network.
public final class InMemoryNetwork: Sendable {
    let hub: NetworkHub

    /// A network without centers.
    public init() { hub = NetworkHub() }

    /// A center that hears the others of this network, and is heard by them.
    ///
    /// - Parameters:
    ///   - name: what faults, and its peers, call it: the process's name that they see. Centers of the
    ///     same name suffer the same faults.
    ///   - limits: how much may wait for each other center.
    /// - Throws: ``MeshError`` when the process is out of file descriptors.
    public func center(
        named name: String, limits: DistributedLimits = DistributedLimits()
    ) throws(MeshError) -> DistributedNotificationCenter {
        try DistributedNotificationCenter(
            domain: "in memory", network: NetworkMember(name, hub), limits: limits,
            processName: name)
    }
}
