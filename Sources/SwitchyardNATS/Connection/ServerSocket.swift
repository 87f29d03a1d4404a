// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

/// A TCP connection to a server that has said who it is, for libnats to go on with.
struct ServerSocket: Sendable {
    let socket: OwnedSocket
    /// The server's first line, `INFO {…}`, which is still to be read.
    let info: Data

    /// Connects, and waits for the server's first line. Blocks until `end` at most; a host's name
    /// takes as long as the system needs to find the address.
    ///
    /// - Throws: ``NATSError`` with the code `noServer` or `noAnswer`.
    init(_ endpoint: ServerEndpoint, until end: ContinuousClock.Instant) throws {
        socket = try Self.connect(endpoint, until: end)
        info = try Self.awaitInfo(socket, until: end)
    }

    /// Whether nothing was read since the connection was made.
    var isUnread: Bool { Self.peek(socket)?.starts(with: info) == true }

    /// The parts of the first line that matter here.
    private struct Info: Decodable {
        let others: [String]?
        let demandsTLS: Bool?

        enum CodingKeys: String, CodingKey {
            case others = "connect_urls"
            case demandsTLS = "tls_required"
        }
    }

    private var content: Info? {
        try? JSONDecoder().decode(Info.self, from: info.drop { $0 != UInt8(ascii: "{") })
    }

    /// Other servers of the cluster that this server has named, as addresses. Leaves out what is no
    /// address: one mistake of a server's would end all attempts to connect.
    var otherServers: [String] {
        (content?.others ?? []).map { "nats://" + $0 }.filter { address in
            !address.contains("@") && (try? NATSOptions(servers: [address]).endpoints()) != nil
        }
    }

    /// Whether the server takes connections with TLS only. libnats then uses it unasked.
    var demandsTLS: Bool { content?.demandsTLS == true }

    // MARK: - Connecting

    private static func connect(
        _ endpoint: ServerEndpoint, until end: ContinuousClock.Instant
    ) throws -> OwnedSocket {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_STREAM
        #else
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(endpoint.host, "\(endpoint.port)", &hints, &list)
        guard code == 0, let list else {
            throw NATSError(
                "the host's address is unknown: \(String(cString: gai_strerror(code)))",
                code: .noServer)
        }
        defer { freeaddrinfo(list) }
        let addresses = sequence(first: list) { $0.pointee.ai_next }.map(\.self).shuffled()
        var reason = ""
        for (index, address) in addresses.enumerated() {
            // A silent address leaves time for the others.
            let share = (end - .now) / (addresses.count - index)
            switch connect(address.pointee, until: .now + share) {
            case .success(let socket): return socket
            case .failure(let error): reason = String(cString: strerror(error.rawValue))
            }
        }
        throw NATSError(reason, code: .noServer)
    }

    private struct SystemError: Error {
        let rawValue: CInt
    }

    private static func connect(
        _ address: addrinfo, until end: ContinuousClock.Instant
    ) -> Result<OwnedSocket, SystemError> {
        guard let socket = OwnedSocket(family: address.ai_family) else {
            return .failure(SystemError(rawValue: errno))
        }
        #if canImport(Darwin)
        let result = Darwin.connect(socket.descriptor, address.ai_addr, address.ai_addrlen)
        #else
        let result = Glibc.connect(socket.descriptor, address.ai_addr, address.ai_addrlen)
        #endif
        if result != 0 {
            if errno != EINPROGRESS { return .failure(SystemError(rawValue: errno)) }
            guard socket.waits(for: CInt(POLLOUT), until: end) else {
                return .failure(SystemError(rawValue: ETIMEDOUT))
            }
            var error: CInt = 0
            var size = socklen_t(MemoryLayout<CInt>.size)
            getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
            if error != 0 { return .failure(SystemError(rawValue: error)) }
        }
        setOptions(socket)
        return .success(socket)
    }

    /// Sets the options that libnats sets on its own sockets.
    private static func setOptions(_ socket: OwnedSocket) {
        var on: CInt = 1
        setsockopt(
            socket.descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on,
            socklen_t(MemoryLayout<CInt>.size))
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            socket.descriptor, SOL_SOCKET, SO_LINGER, &atOnce,
            socklen_t(MemoryLayout<linger>.size))
    }

    // MARK: - The server's first line

    /// The longest first line in bytes; libnats takes no longer one.
    private static var longestInfo: Int { 32 * 1024 }

    private static func awaitInfo(
        _ socket: OwnedSocket, until end: ContinuousClock.Instant
    ) throws -> Data {
        while true {
            let hasCome = socket.waits(for: CInt(POLLIN), until: end)
            let read = hasCome ? peek(socket) ?? Data() : nil
            if read?.isEmpty == true {
                throw NATSError("the connection was ended at once", code: .noServer)
            }
            if let read, let end = read.firstIndex(of: UInt8(ascii: "\n")) { return read[...end] }
            guard let read, read.count < longestInfo, ContinuousClock.now < end else {
                throw NATSError("it takes connections and does not answer", code: .noAnswer)
            }
            // A part of the line is there already, so `poll` would not wait for the rest.
            usleep(1_000)
        }
    }

    /// Returns what has come and was not read: empty at the end of the connection, nil when there
    /// is nothing or the connection is broken.
    private static func peek(_ socket: OwnedSocket) -> Data? {
        var bytes = [UInt8](repeating: 0, count: longestInfo)
        // The read does not wait: libnats makes the socket blocking for the handshake of TLS.
        let options = CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)
        let count = recv(socket.descriptor, &bytes, bytes.count, options)
        return count < 0 ? nil : Data(bytes[..<count])
    }
}
#endif
