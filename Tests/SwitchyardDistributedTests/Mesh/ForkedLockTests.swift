// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// Children of a process whose other threads hold the locks that all centers share.
@Suite("Shared locks of forked children", .serialized, .timeLimit(.minutes(4)))
struct ForkedLockTests {
    @Test(.disabled(if: isThreadSanitized, "it copies the memory of a sanitized process 300 times"))
    func `A forked child uses what its parent's threads were using`() async {
        await #expect(processExitsWith: .success) {
            let isOver = Guarded(false)
            for use in Self.uses { use() }
            let threads = Self.uses.map { use in
                let thread = Thread { while !isOver.withLock({ $0 }) { use() } }
                thread.start()
                return thread
            }
            for _ in 0..<300 {
                let child = try Self.fork()
                if child == 0 {
                    // A child that waits for ever is ended by the signal.
                    var none = sigset_t()
                    sigemptyset(&none)
                    pthread_sigmask(SIG_SETMASK, &none, nil)
                    alarm(60)
                    for use in Self.uses { use() }
                    _exit(0)
                }
                var status: Int32 = -1
                #expect(waitpid(child, &status, 0) == child)
                #expect(status == 0)
                if status != 0 { break }
            }
            isOver.withLock { $0 = true }
            withExtendedLifetime(threads) {}
        }
    }

    private struct Unnamed: DistributedMessage {}

    private static let message = ReceivedMessage(
        DistributedPayload(.bytes, [UInt8](repeating: 7, count: 10_000)),
        sender: DistributedPeer(id: "", processIdentifier: 0, processName: ""), sequence: 0,
        ReceivedTopic(name: "A", object: nil))

    /// Functions that take the locks for most of the time.
    private static let uses: [@Sendable () -> Void] = [
        { _ = Unnamed.name }, { _ = message.bytes }, { _ = AddressWatch.descriptor },
        {
            DictionaryShape.remember(["a", "b"], of: ["a": 1, "b": 2])
            "a".utf8CString.withUnsafeBytes {
                _ = DictionaryShape.likely(2, first: UnsafeRawBufferPointer(rebasing: $0[..<1]))
            }
        },
    ]

    private static func fork() throws -> Int32 {
        let symbol = try #require(dlsym(nil, "fork"))
        // Unsafe: Swift does not offer the function, whose type this is.
        return unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
    }
}
