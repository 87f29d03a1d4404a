// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

/// An IPv4 address and port of a socket.
struct SocketAddress: Equatable {
    /// The host's address, in the byte order of the network.
    private var host: UInt32
    let port: UInt16

    /// An address of the loopback with any free port.
    static let loopback = SocketAddress(host: UInt32(0x7F00_0001).bigEndian, port: 0)

    private init(host: UInt32, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads a socket's own address; nil for other descriptors than IPv4 sockets.
    init?(ownOf descriptor: CInt) { self.init(descriptor, getsockname) }

    /// Reads the address of a socket's other end; nil for other descriptors than IPv4 sockets.
    init?(peerOf descriptor: CInt) { self.init(descriptor, getpeername) }

    private init?(
        _ descriptor: CInt,
        _ read: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // The system's calls take addresses of all families through one pointer type.
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                read(descriptor, $0, &size)
            }
        }
        guard result == 0, Int32(address.sin_family) == AF_INET else { return nil }
        self.init(host: address.sin_addr.s_addr, port: UInt16(bigEndian: address.sin_port))
    }

    /// Gives a socket this address. Returns whether that worked.
    func bind(_ descriptor: CInt) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host
        // The system's calls take addresses of all families through one pointer type.
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #if canImport(Darwin)
                Darwin.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                #else
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                #endif
            }
        }
    }

    /// Returns the descriptor of this process's TCP socket that is connected from one address to
    /// another; nil if there is none, or more than one has it. Takes time in proportion to the
    /// number of open descriptors.
    ///
    /// The own address alone would not do: connections to different servers may begin at the same
    /// port.
    static func descriptor(from own: SocketAddress, to peer: SocketAddress) -> CInt? {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        // All numbers are tried without that folder, which belongs to /proc on Linux.
        let candidates = open.isEmpty ? Array(0..<65_536) : open.compactMap { CInt($0) }
        let found = candidates.filter { isConnection($0, from: own, to: peer) }
        return found.count == 1 ? found.first : nil
    }

    /// Whether a descriptor is a TCP socket that is connected from one address to another.
    static func isConnection(
        _ descriptor: CInt, from own: SocketAddress, to peer: SocketAddress
    ) -> Bool {
        var type: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else { return false }
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = CInt(SOCK_STREAM.rawValue)
        #endif
        return type == stream && SocketAddress(ownOf: descriptor) == own
            && SocketAddress(peerOf: descriptor) == peer
    }
}
#endif
