// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
import Foundation
import Testing

@testable import SwitchyardWeb

@Suite struct PeerUserTests {
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

    #if os(Linux)
    @Test func `The kernel's answer about one connection is that of its table of all`() throws {
        let server = try Listening()
        let client = try #require(PageClient(port: server.port).connect())
        let port = try #require(localPort(of: client.fileDescriptor))
        // The table changes while it is read, and a row may be missed.
        var found: UInt32?
        for _ in 0..<100 where found == nil {
            // `String(contentsOfFile:)` would read no more than the first page of such a file.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
            let table = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            found = PeerUser.number(at: port, of: server.port, in: table)
        }
        #expect(found == UInt32(geteuid()))
        if case .socket = SocketDiagnostics.socket(at: server.port, connectedTo: 0) {
            #expect(
                SocketDiagnostics.socket(at: port, connectedTo: server.port)
                    == .socket(state: SocketDiagnostics.isConnected, user: UInt32(geteuid())))
        }
        #expect(PeerUser(connectedTo: server.port).isUser(UInt32(geteuid()), at: port))
        #expect(!PeerUser(connectedTo: server.port).isUser(UInt32(geteuid()) + 1, at: port))
    }

    @Test func `A connection that is not there is nobody's`() throws {
        let server = try Listening()
        let client = try #require(PageClient(port: server.port).connect())
        let port = try #require(localPort(of: client.fileDescriptor))
        let peers = PeerUser(connectedTo: server.port)
        client.closeFile()

        #expect(!peers.isUser(UInt32(geteuid()), at: port))
        #expect(!peers.isUser(0, at: port))
        // A socket that listens is no connection.
        #expect(!peers.isUser(UInt32(geteuid()), at: server.port))
    }
    #endif
}

#if os(Linux)
/// A socket that listens at a port of 127.0.0.1.
private struct Listening {
    let port: UInt16
    private let socket: FileHandle

    init() throws {
        let made = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        socket = FileHandle(fileDescriptor: made, closeOnDealloc: true)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(made, $0, size) }
        }
        listen(made, 8)
        port = try #require(localPort(of: made))
    }
}

private func localPort(of socket: Int32) -> UInt16? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
}
#endif
#endif
