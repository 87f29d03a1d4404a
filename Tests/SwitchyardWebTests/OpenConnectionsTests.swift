// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
import SwitchyardCore
import Testing

@testable import SwitchyardWeb

/// The limit of open connections, and the users at their other ends.
@Suite("Open connections") struct OpenConnectionsTests {
    @Test func `A connection beyond the limit takes the place of the oldest that has not asked`()
        throws
    {
        let closed = Guarded<[String]>([])
        let connections = OpenConnections(3)
        func enter(_ name: String) -> Int? {
            connections.enter { closed.withLock { $0.append(name) } }
        }
        connections.hasAsked(try #require(enter("asked")))
        _ = try #require(enter("silent"))
        let newer = try #require(enter("newer"))
        _ = try #require(enter("newest"))
        #expect(closed.withLock { $0 } == ["silent"])
        connections.leave(newer)
        _ = try #require(enter("last"))
        #expect(closed.withLock { $0 } == ["silent"])
    }

    @Test
    func `A connection beyond the limit is refused where all have asked, until one has ended`()
        throws
    {
        let connections = OpenConnections(2)
        var numbers: [Int] = []
        for _ in 0..<2 {
            let number = try #require(connections.enter { Issue.record("one was closed") })
            connections.hasAsked(number)
            numbers.append(number)
        }
        #expect(connections.enter {} == nil)
        connections.leave(numbers[0])
        #expect(connections.enter {} != nil)
    }

    /// Our server has port 8080 (1F90), and a program at 48001 (BB81) and so on is connected to it.
    private let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0
           1: 0100007F:1F90 0100007F:BB81 01 00000000:00000000 00:00000000 00000000     0        0 2 1 0
           2: 0100007F:BB81 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0
           3: 0100007F:BB82 0100007F:1F90 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0
           4: 0100007F:BB83 0100007F:1F91 01 00000000:00000000 00:00000000 00000000  1000        0 5 1 0
           5: 0000000000000000FFFF00000100007F:BB84 0000000000000000FFFF00000100007F:1F90 01 0:0 00:0 0  1001 0 6
           6: 0200007F:BB85 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 7 1 0
           7: 0100007F:BB86 08080808:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 8 1 0
           8: 0100007F:BB86 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 9 1 0
        """

    @Test(
        arguments: [
            (0xBB81, 1000), (0xBB84, 1001), (0xBB82, nil), (0xBB83, nil), (0x1F90, nil),
            // Other addresses with the same ports.
            (0xBB85, nil), (0xBB86, 1001),
        ] as [(UInt16, UInt32?)])
    func `The user of a connection is the user of its other end, while the connection lasts`(
        _ port: UInt16, _ user: UInt32?
    ) {
        #expect(PeerUser.number(at: port, of: 0x1F90, in: table) == user)
    }
}
#endif
