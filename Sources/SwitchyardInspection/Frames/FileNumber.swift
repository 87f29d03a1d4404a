// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The number of a file, by which it is told from one that took its name.
struct FileNumber: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// - Parameter followsLink: whether a symbolic link stands for the file that it leads to.
    /// - Returns: nil if there is no file at the path.
    init?(of path: String, followsLink: Bool = false) {
        var status = stat()
        guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
