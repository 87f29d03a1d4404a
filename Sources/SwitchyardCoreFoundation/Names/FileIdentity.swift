// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import Foundation

/// The numbers by which the system knows a file or a folder, whatever its name is. No other one has
/// them as long as this one is open.
struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let number: ino_t

    /// The identity of the descriptor's file; nil if the descriptor is closed.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }

    /// The identity of the file with the name in the folder; nil if there is none.
    ///
    /// A file that is being removed has no links any more, then tells those that watch it, and
    /// loses its name last. A process that finds the name in between, and watches the file, would
    /// not be told.
    init?(of name: String, in folder: Int32) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_nlink > 0 else {
            return nil
        }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
#endif
