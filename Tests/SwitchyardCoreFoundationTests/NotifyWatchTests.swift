// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyardCoreFoundation
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardCoreFoundation

/// Watches that can't be started.
@Suite("The watch of names' files", .timeLimit(.minutes(5)))
struct NotifyWatchTests {
    @Test func `A registration whose thread can't be started fails, and the next one may succeed`()
        async throws
    {
        let world = NotifyWorld()
        let isFirst = Atomic<Bool>(true)
        let table = world.table { () throws(NotifyError) in
            let isHuge = isFirst.exchange(false, ordering: .acquiringAndReleasing)
            // The stack is larger than the address space.
            return try NotifyWatch(stackBytes: isHuge ? 1 << 50 : 512 * 1024)
        }
        let (name, calls) = (try notifyName("watched"), NotifyCalls())
        let error = #expect(throws: NotifyError.self) {
            _ = try table.register(name, calls.delivery())
        }
        #expect(error?.status == UInt32(NOTIFY_STATUS_FAILED))
        #expect(error?.reason?.contains("can't start the thread sw-notify") == true)
        #expect(!table.isValid(1))
        #expect(try world.files.isEmpty)
        let token = try table.register(name, calls.delivery())
        try table.post(name)
        #expect(await calls.log.arrival(of: 1) == [token])
    }

    /// The number of the process's watches. Each test that counts them has a process of its own.
    private static func watchCount() throws -> Int {
        let folder = "/proc/self/fd/"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0)
            return link == "anon_inode:inotify"
        }.count
    }

    @Test func `A watch whose thread can't be started is closed`() async {
        await #expect(processExitsWith: .success) {
            let world = NotifyWorld()
            let table = world.table { () throws(NotifyError) in
                try NotifyWatch(stackBytes: 1 << 50)
            }
            let name = try notifyName("unstarted")
            #expect(throws: NotifyError.self) {
                _ = try table.register(name, NotifyCalls().delivery())
            }
            #expect(try Self.watchCount() == 0)
        }
    }

    @Test func `A watch that its first file can't be added to is closed`() async {
        await #expect(processExitsWith: .success) {
            let world = NotifyWorld()
            let table = world.table { () throws(NotifyError) in
                unlink(world.file("gone"))
                return try NotifyWatch()
            }
            let name = try notifyName("gone")
            let error = #expect(throws: NotifyError.self) {
                _ = try table.register(name, NotifyCalls().delivery())
            }
            #expect(error?.reason?.contains("can't be watched") == true)
            #expect(try Self.watchCount() == 0)
        }
    }
}
