// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

/// A folder of its own for the sockets of a test, whose processes hear no others.
final class TestFolder: Sendable {
    let path = NSTemporaryDirectory() + "switchyard-" + UUID().uuidString.prefix(8)

    init() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
