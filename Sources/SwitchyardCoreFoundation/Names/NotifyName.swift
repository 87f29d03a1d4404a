// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import Foundation
internal import SwitchyardWire

/// The name of a Darwin notification: any bytes but zeros, not necessarily UTF-8.
struct NotifyName: Hashable, Sendable {
    static let longest = 65_535

    let bytes: [UInt8]

    init(_ bytes: [UInt8]) throws(NotifyError) {
        if bytes.isEmpty || bytes.count > Self.longest || bytes.contains(0) { throw .invalidName }
        self.bytes = bytes
        if let owner, owner != "\(geteuid())" { throw .notAuthorized }
    }

    init(_ pointer: UnsafePointer<CChar>?) throws(NotifyError) {
        guard let pointer else { throw .nullInput }
        try self.init(Array(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))))
    }

    /// Whether the name belongs to this process alone.
    var isPrivate: Bool { bytes.starts(with: "self.".utf8) }

    /// The number, as it is spelled, of the user to whom `user.uid.NUMBER` and what begins with
    /// that and a dot belong; nil for other names.
    private var owner: String? {
        let prefix = "user.uid."
        guard bytes.starts(with: prefix.utf8) else { return nil }
        let number = bytes.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: ".") }
        return String(decoding: number, as: UTF8.self)
    }

    /// The name of the file that processes share: the name itself as far as a file may have it,
    /// else its beginning and two hash values. The file holds the whole name.
    var fileName: String {
        let whole = wholeFileName
        if whole.utf8.count <= Self.longestFileName { return whole }
        let hashes = [hash(from: 0xcbf2_9ce4_8422_2325), hash(from: 0x9ae1_6a3b_2f90_404f)]
        let ending = hashes.map { String($0, radix: 16) }.joined(separator: "-")
        // No whole name contains a tilde.
        return "\(whole.prefix(120))~\(bytes.count)-\(ending)"
    }

    /// Whether another name may have the same file name, although that is most unlikely.
    var sharesFileName: Bool { wholeFileName.utf8.count > Self.longestFileName }

    private var wholeFileName: String { RuntimeFolder.fileName(ofBytes: bytes) }

    /// The number of bytes of the longest name that is the name of a file.
    private static let longestFileName = 200

    /// The hash function FNV-1a, with its own first value or another one.
    private func hash(from start: UInt64) -> UInt64 {
        bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
#endif
