// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// Texts as the values of headers.
enum HeaderText {
    /// Escapes a value as the HTTP binding does: everything but printable ASCII, and the
    /// delimiters.
    static func escape(_ value: String) -> String {
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            switch byte {
            case 0x21...0x7E where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "%"):
                bytes.append(byte)
            default: bytes += SubjectMap.escape(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
