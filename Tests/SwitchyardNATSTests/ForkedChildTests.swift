// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardDistributed
import SwitchyardNATS
import TestSupport
import Testing

/// A forked child has no threads but the one that forked, and so none that run tasks.
@Suite("Centers on NATS in forked children", .timeLimit(.minutes(4))) struct ForkedChildTests {
    @Test(.enabled(if: !isThreadSanitized, "ThreadSanitizer allows no threads in forked children"))
    func `A forked child can wait until its own center is ready, and its posts are taken`()
        async throws
    {
        let server = try Server()
        let hearer = try Member(server)
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        #expect(await hearer.center.waitUntilReady(within: .seconds(60)).isEmpty)
        await #expect(processExitsWith: .success) { [url = server.url as String] in
            let parent = try Center(transport: .nats(NATSOptions(servers: [url])))
            #expect(await parent.waitUntilReady(within: .seconds(60)).isEmpty)
            let child = try Self.fork()
            // A child that hangs is ended by the signal.
            if child == 0 { alarm(120) }
            if child == 0 { _exit(Self.postInChild(url, parent) ? 0 : 1) }
            var status: Int32 = -1
            #expect(waitpid(child, &status, 0) == child)
            #expect(status == 0)
            withExtendedLifetime(parent) {}
        }
        #expect(await notes.arrival(of: 1) == [7])
        token.cancel()
    }

    private static func postInChild(_ url: String, _ parent: Center) -> Bool {
        guard let member = try? Member(NATSOptions(servers: [url])) else { return false }
        // The parent's center is the parent's.
        if parent.blockUntilReady(within: .seconds(60)).count != 1 { return false }
        if parent.blockUntilFlushed(within: .seconds(60)).count != 1 { return false }
        guard member.center.blockUntilReady(within: .seconds(60)).isEmpty else { return false }
        guard (try? member.post("a", 7)) != nil else { return false }
        return member.center.blockUntilFlushed(within: .seconds(60)).isEmpty
    }

    private static func fork() throws -> Int32 {
        let symbol = try #require(dlsym(nil, "fork"))
        // Unsafe: Swift does not offer the function, whose type this is.
        return unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
    }
}
#endif
