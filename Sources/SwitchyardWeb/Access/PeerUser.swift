// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
internal import Foundation

/// Tells whose program is at the other end of a connection inside this machine.
///
/// Linux says it. The kernel is asked about the one connection; where it can't be, in a container
/// that does not allow it for example, its table of all connections is read, which takes the longer
/// the more there are.
struct PeerUser {
    /// The tables of both versions of the protocol: a socket of the newer one reaches our address
    /// as well.
    private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    /// The table is read piece by piece while it changes, and a row may be missed.
    private static let mostReadings = 3

    /// The port of 127.0.0.1 at which the server listens.
    private let server: UInt16
    /// Whether the kernel answers questions about single connections: it knows of the server's.
    private let kernelAnswers: Bool

    /// - Parameter server: the port of 127.0.0.1 at which the server listens already.
    init(connectedTo server: UInt16) {
        self.server = server
        #if os(Linux)
        if case .socket = SocketDiagnostics.socket(at: server, connectedTo: 0) {
            kernelAnswers = true
        } else {
            kernelAnswers = false
        }
        #else
        kernelAnswers = false
        #endif
    }

    /// Whether a user is at the other end.
    ///
    /// - Parameter port: the other end's, at 127.0.0.1.
    /// - Returns: Also true on a system that does not tell.
    func isUser(_ user: UInt32, at port: UInt16) -> Bool {
        #if os(Linux)
        if kernelAnswers {
            return SocketDiagnostics.socket(at: port, connectedTo: server)
                == .socket(state: SocketDiagnostics.isConnected, user: user)
        }
        #endif
        return isUserByTables(user, at: port)
    }

    private func isUserByTables(_ user: UInt32, at port: UInt16) -> Bool {
        for _ in 0..<Self.mostReadings {
            let texts = Self.tables.compactMap(Self.contents)
            // A table that can't be read, because there are no descriptors left, lets nobody in.
            if texts.isEmpty { return !FileManager.default.fileExists(atPath: "/proc/self") }
            for text in texts {
                if let found = Self.number(at: port, of: server, in: text) { return found == user }
            }
        }
        return false
    }

    /// The number of the user whose socket at a port is connected to a server; nil if there is none
    /// in the table. Rows of connections that have ended do not count: they all seem to be of user
    /// 0. Nor do rows of other addresses: another user can connect to the server from the same port
    /// of one.
    static func number(at port: UInt16, of server: UInt16, in table: String) -> UInt32? {
        let (ends, servers) = (rows(of: port), rows(of: server))
        for line in table.utf8.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count > 7, words[3].elementsEqual("01".utf8),
                ends.contains(where: { words[1].elementsEqual($0.utf8) }),
                servers.contains(where: { words[2].elementsEqual($0.utf8) })
            else { continue }
            return UInt32(String(decoding: words[7], as: UTF8.self))
        }
        return nil
    }

    /// A port of 127.0.0.1 as the two tables write it: the bytes of an address in groups of four,
    /// in the processor's order.
    private static func rows(of port: UInt16) -> [String] {
        let digits = String(port, radix: 16, uppercase: true)
        let end = "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
        return [end, "0000000000000000FFFF0000" + end]
    }

    private static func contents(of path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path),
            let bytes = try? file.readToEnd()
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
