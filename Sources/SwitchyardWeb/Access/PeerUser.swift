// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
internal import Foundation

/// The user at the other end of a connection inside this machine, by the kernel's table of
/// connections, which Linux has.
enum PeerUser {
    /// The tables of both versions of the protocol: a socket of the newer one reaches our address
    /// as well.
    private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    /// The table is read piece by piece while it changes, and a row may be missed.
    private static let mostReadings = 3

    /// Whether a user is at the other end.
    ///
    /// - Parameters:
    ///   - port: the other end's, at 127.0.0.1.
    ///   - server: our own, at the same address.
    /// - Returns: Also true on a system without such a table.
    static func isUser(_ user: UInt32, at port: UInt16, of server: UInt16) -> Bool {
        for _ in 0..<mostReadings {
            let texts = tables.compactMap(contents)
            // A table that can't be read, because there are no descriptors left, lets nobody in.
            if texts.isEmpty { return !FileManager.default.fileExists(atPath: "/proc/self") }
            for text in texts {
                if let found = number(at: port, of: server, in: text) { return found == user }
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
