// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension DistributedNotificationCenter {
    /// Checks whether a domain can have this name, without joining it.
    ///
    /// - Throws: ``MeshError`` if it can't; the error says why.
    package static func check(domain: String) throws(MeshError) {
        _ = try RuntimeFolder.fileName(of: domain)
    }
}
