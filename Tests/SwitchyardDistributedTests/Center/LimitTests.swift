// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import TestSupport
import Testing

/// The errors of creating a center in a process that gets nothing more from the system.
@Suite("Processes at their limits") struct LimitTests {
    /// Stops the process unless no center can be made, with this code.
    private static func expectNoCenter(_ expected: DistributedCenterError.Code) {
        do throws(DistributedCenterError) {
            _ = try DistributedNotificationCenter(domain: "org.example.limits")
        } catch {
            precondition(error.code == expected, "\(error)")
            return
        }
        preconditionFailure("there was enough")
    }

    @Test func `A process that is out of file descriptors is told so`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var last: Int32 = 0
            while true {
                let next = open("/dev/null", O_RDONLY)
                if next < 0 { break }
                last = next
            }
            // The process has room for some of the files that a center opens, but not for all.
            for free in 0..<9 {
                Self.expectNoCenter(.outOfDescriptors)
                close(last - Int32(free))
            }
        }
    }

    @Test func `A thread that the system can't start is an error that says so`() {
        do throws(DistributedCenterError) {
            // The stack is larger than the address space.
            try SystemThread.start("sw-huge", stackBytes: 1 << 50) {}
            Issue.record("it was started")
        } catch {
            #expect(error.code == .outOfThreads)
            #expect(error.description.contains("can't start the thread sw-huge"))
        }
    }
}
