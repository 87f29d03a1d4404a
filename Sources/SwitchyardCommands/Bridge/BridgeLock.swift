// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

/// The right to be the bridge of a domain on this machine: a lock of the system on the domain's
/// folder, which ends with the process that has it.
struct BridgeLock {
    private let folder: RuntimeFolder

    /// Takes the lock; nil if another process has it. A file system without locks gives it to all.
    init?(domain: String) throws {
        folder = try RuntimeFolder(domain: domain)
        while flock(folder.descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return nil }
            if errno != EINTR { break }
        }
    }
}
