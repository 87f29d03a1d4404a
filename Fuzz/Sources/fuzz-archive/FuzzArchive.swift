// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Fuzzing
import SwitchyardDistributed

/// A target for any data, which is an error, or a notification that comes back from its archive.
@main enum FuzzArchive {
    static func main() {
        fuzz { start, count in
            FuzzArchive.test(Data(UnsafeRawBufferPointer(start: start, count: count)))
            return 0
        }
    }

    private static func test(_ data: Data) {
        guard let notification = try? NotificationArchive.decode(data) else { return }
        do {
            let archive = try NotificationArchive.encode(notification)
            precondition(archive.count == data.count, "an archive of another length")
            let again = try NotificationArchive.decode(archive)
            precondition(again.name.rawValue == notification.name.rawValue, "another name")
            precondition(isSame(again.object, notification.object), "another object")
            precondition(isSame(again.userInfo, notification.userInfo), "other userInfo")
        } catch {
            fatalError("what was decoded is refused: \(error)")
        }
    }

    private static func isSame(_ left: Any?, _ right: Any?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return fuzz_archive.isSame(left, right)
    }
}
