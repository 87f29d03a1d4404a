// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

/// A port of the loopback that belongs to one server of the tests until this object goes, also
/// while the server is down.
///
/// A port that the system chooses (`bind` with 0) is free at that moment only: while a server
/// restarts, another server or a client's connection can get it. So the number is below those that
/// the system gives away, and one byte of a file, which all processes lock, stands for it.
final class Port: Sendable {
    let number: Int
    /// The open file whose lock ends with it.
    private let file: Int32

    init() throws {
        let path = NSTemporaryDirectory() + "switchyard-ports-\(getuid())"
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ServerError(description: "can't open \(path)") }
        let first = Int.random(in: Self.numbers)
        for step in 0..<Self.numbers.count {
            let number = (first + step) % Self.numbers.count + Self.numbers.lowerBound
            guard Self.lock(number, file) else { continue }
            if Self.isFree(number) {
                self.number = number
                return
            }
            // The lock stays until the file is closed: no other server wants a port in use.
        }
        close(file)
        throw ServerError(description: "there is no free port")
    }

    deinit { close(file) }

    /// Numbers below the system's own (/proc/sys/net/ipv4/ip_local_port_range).
    private static let numbers = 20_000..<32_000

    /// Locks the byte of a number, and returns false if another open file has it locked.
    private static func lock(_ number: Int, _ file: Int32) -> Bool {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(number)
        range.l_len = 1
        return fcntl(file, setLock, &range) == 0
    }

    /// Linux's F_OFD_SETLK, which Glibc's Swift module leaves out: the lock belongs to the open
    /// file, not to the process.
    private static let setLock: Int32 = 37

    private static func isFree(_ number: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        // As servers do: connections of an earlier one that linger don't matter.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in.loopback(number)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

extension sockaddr_in {
    static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
#endif
