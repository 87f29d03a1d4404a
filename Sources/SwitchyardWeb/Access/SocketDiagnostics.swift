// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web && os(Linux)
internal import Foundation

/// Asks the kernel about one socket of the loopback interface (`sock_diag(7)`), however many there
/// are.
enum SocketDiagnostics {
    /// The kernel's answer to one question.
    enum Answer: Equatable {
        /// The socket is there, in a state of `tcp_states.h`, and its maker is a user.
        case socket(state: UInt8, user: UInt32)
        /// The kernel knows no such socket, or nothing of TCP's sockets at all.
        case unknown
        /// The question could not be asked: there are no descriptors left, or it is not allowed.
        case failed
    }

    /// The state of a socket that is connected.
    static let isConnected: UInt8 = 1

    // Of <linux/netlink.h>, <linux/sock_diag.h> and <linux/inet_diag.h>.
    private static let sockDiag: Int32 = 4
    private static let byFamily: UInt16 = 20
    private static let isRequest: UInt16 = 1
    private static let headerSize = 16
    private static let stateOffset = headerSize + 1
    private static let portsOffset = headerSize + 4
    private static let userOffset = headerSize + 64
    private static let answerSize = headerSize + 72

    /// Asks about the socket at a port of 127.0.0.1.
    ///
    /// - Parameter remote: the port of 127.0.0.1 to which the socket is connected; 0 for a socket
    ///   that listens.
    static func socket(at port: UInt16, connectedTo remote: UInt16) -> Answer {
        let kernel = Glibc.socket(
            AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), sockDiag)
        guard kernel >= 0 else { return .failed }
        defer { close(kernel) }
        let question = question(port, remote)
        guard send(kernel, question, question.count, 0) == question.count else { return .failed }
        // The kernel has answered before send() returns.
        var answer = [UInt8](repeating: 0, count: 512)
        let size = recv(kernel, &answer, answer.count, Int32(MSG_DONTWAIT))
        guard size >= headerSize else { return .failed }
        return read(answer.prefix(size), port, remote)
    }

    /// The bytes of a question: the header, the family, and the two ends.
    static func question(_ port: UInt16, _ remote: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
        }
        append(UInt32(headerSize + 56))
        append(byFamily)
        append(isRequest)
        // The question's number, and the asking socket's, which the kernel fills in.
        append(UInt32(1))
        append(UInt32(0))
        append(UInt8(AF_INET))
        append(UInt8(IPPROTO_TCP))
        // No more about the socket than what is always said.
        append(UInt16(0))
        // Sockets in each state.
        append(UInt32.max)
        append(port.bigEndian)
        append(remote.bigEndian)
        for _ in 0..<2 {
            append(UInt32(0x7F00_0001).bigEndian)
            append(UInt64(0))
            append(UInt32(0))
        }
        // On each interface, and no cookie.
        append(UInt32(0))
        append(UInt64.max)
        return bytes
    }

    /// Reads an answer.
    static func read(_ answer: ArraySlice<UInt8>, _ port: UInt16, _ remote: UInt16) -> Answer {
        let bytes = Array(answer)
        func value<Value: FixedWidthInteger>(at offset: Int, as: Value.Type) -> Value {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
        }
        guard bytes.count >= answerSize, value(at: 4, as: UInt16.self) == byFamily,
            value(at: portsOffset, as: UInt16.self) == port.bigEndian,
            value(at: portsOffset + 2, as: UInt16.self) == remote.bigEndian
        else { return .unknown }
        return .socket(state: bytes[stateOffset], user: value(at: userOffset, as: UInt32.self))
    }
}
#endif
