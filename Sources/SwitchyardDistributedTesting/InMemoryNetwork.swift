// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import SwitchyardDistributed

/// A network of centers that hear each other inside one process, as if each were a process of its
/// own. For tests.
///
/// ```swift
/// let network = InMemoryNetwork()
/// let converter = try network.center(named: "converter")
/// let window = try network.center(named: "window")
/// let token = window.observe(ConverterAdded.self, on: .poster) { formats.append($0.format) }
/// await window.waitUntilReady(within: .seconds(10))
/// try converter.post(ConverterAdded(format: "RTF"))
/// ```
/// Everything but the file system takes part: the connections, the frames, the threads. Other
/// networks and other processes hear nothing, so tests can run beside each other.
///
/// Between two centers, notifications can be held up, cut into pieces and lost with their
/// connection: ``hold(from:to:)``, ``limitPieces(from:to:bytes:)``, ``disconnect(_:_:)``. None of
/// this depends on time: a fault lasts until the test ends it.
///
/// The centers of a network live for as long as they are kept, even without the network.
public final class InMemoryNetwork: Sendable {
    let hub: NetworkHub

    /// Creates a network without centers.
    public init() { hub = NetworkHub() }

    /// Creates a center that hears the others of this network, and is heard by them.
    ///
    /// - Parameters:
    ///   - name: The name of the center for faults, and the process name that its peers see.
    ///     Centers of the same name have the same faults.
    ///   - limits: The limits of what may wait for each other center.
    /// - Throws: `DistributedCenterError` if the process is out of file descriptors.
    public func center(
        named name: String, limits: DistributedLimits = DistributedLimits()
    ) throws(DistributedCenterError) -> DistributedNotificationCenter {
        try DistributedNotificationCenter(
            domain: "in memory", network: NetworkMember(name, hub), limits: limits,
            processName: name)
    }
}
