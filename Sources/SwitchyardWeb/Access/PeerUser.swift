// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
internal import Foundation

/// The user at the other end of a connection inside this machine, by the kernel's table of connections, which
/// Linux has.
enum PeerUser {
    /// The tables of both versions of the protocol: a socket of the newer one reaches our address as well.
    private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    /// The table is read piece by piece while it changes, and a row may be missed.
    private static let mostReadings = 3

    /// Whether a user is at the other end.
    ///
    /// - Parameters:
    ///   - port: the other end's.
    ///   - server: our own.
    /// - Returns: Also true on a system without such a table.
    static func isUser(_ user: UInt32, at port: UInt16, of server: UInt16) -> Bool {
        for _ in 0..<mostReadings {
            let texts = tables.compactMap(contents)
            if texts.isEmpty { return true }
            for text in texts {
                if let found = number(at: port, of: server, in: text) { return found == user }
            }
        }
        return false
    }

    /// The number of the user whose socket at a port is connected to a server; nil if there is none in the table. Rows
    /// of connections that have ended do not count: they all seem to be of user 0.
    static func number(at port: UInt16, of server: UInt16, in table: String) -> UInt32? {
        for line in table.utf8.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count > 7, words[3].elementsEqual("01".utf8),
                hexadecimal(afterColonOf: words[1]) == port,
                hexadecimal(afterColonOf: words[2]) == server
            else { continue }
            return UInt32(String(decoding: words[7], as: UTF8.self))
        }
        return nil
    }

    private static func hexadecimal(afterColonOf word: Substring.UTF8View) -> UInt16? {
        let digits = word.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private static func contents(of path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path),
            let bytes = try? file.readToEnd()
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
