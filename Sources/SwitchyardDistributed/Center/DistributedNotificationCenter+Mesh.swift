// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension DistributedNotificationCenter {
    /// Creates a center of a domain: centers of one domain hear each other, and no others.
    ///
    /// - Parameters:
    ///   - domain: The domain's name, such as `org.example.converters`.
    ///   - limits: The limits of what may wait for a process that does not read.
    /// - Throws: ``DistributedCenterError`` if other processes can't be reached; the error says
    ///   what to do.
    public convenience init(
        domain: String, limits: DistributedLimits = DistributedLimits()
    ) throws(DistributedCenterError) {
        try self.init(
            domain: domain, network: UnixNetwork(domain: domain), limits: limits)
    }

    /// Creates a center on a network of the caller's: for tests.
    package convenience init(
        domain: String, network: any MeshNetwork, limits: DistributedLimits = DistributedLimits(),
        processName: String? = nil
    ) throws(DistributedCenterError) {
        let mesh = try Mesh(
            domain: domain, network: network, limits: limits, processName: processName)
        // The center's observers hear on main unless they say otherwise.
        try MainLoopRoom.check()
        do {
            try self.init(transport: mesh)
        } catch let error as DistributedCenterError {
            throw error
        } catch {
            throw DistributedCenterError(.transport, "\(error)", cause: error)
        }
    }

    /// Checks whether a domain can have this name, without joining it.
    ///
    /// - Throws: ``DistributedCenterError`` if it can't; the error says why.
    package static func check(domain: String) throws(DistributedCenterError) {
        try UnixNetwork.check(domain: domain)
    }
}
