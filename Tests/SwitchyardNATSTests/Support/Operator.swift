// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe

/// An operator with an account and its users, as `nsc` makes them: keys, signed claims, files with
/// credentials. In a folder of its own.
final class Operator {
    /// A key of NATS: Ed25519, with its kind in its letters.
    private struct Key {
        /// The kind of a key: operator, account, user.
        enum Kind: UInt8 {
            case `operator` = 112
            case account = 0
            case user = 160
        }

        let file: String
        let name: String
        let seed: String

        init(_ kind: Kind, in folder: String) throws {
            file = folder + "/" + UUID().uuidString
            try shell("openssl genpkey -algorithm ed25519 -out '\(file)'")
            let secret = try shell("openssl pkey -in '\(file)' -outform DER | tail -c 32")
            let open = try shell("openssl pkey -in '\(file)' -pubout -outform DER | tail -c 32")
            name = Self.text([kind.rawValue] + open)
            seed = Self.text([144 | kind.rawValue >> 5, (kind.rawValue & 31) << 3] + secret)
        }

        /// The text of a key, with a checksum.
        private static func text(_ bytes: [UInt8]) -> String {
            var sum: UInt16 = 0
            for byte in bytes {
                sum ^= UInt16(byte) << 8
                for _ in 0..<8 { sum = sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
            }
            let all = bytes + [UInt8(truncatingIfNeeded: sum), UInt8(sum >> 8)]
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
            var (text, bits, count) = ("", 0, 0)
            for byte in all {
                (bits, count) = (bits << 8 | Int(byte), count + 8)
                while count >= 5 {
                    count -= 5
                    text.append(letters[bits >> count & 31])
                }
                bits &= (1 << count) - 1
            }
            if count > 0 { text.append(letters[bits << (5 - count) & 31]) }
            return text
        }

        /// Claims of another key, signed by this one.
        func sign(_ kind: String, of other: Key) throws -> String {
            var rights: [String: Any] = ["type": kind, "version": 2]
            let noLimits = ["subs": -1, "data": -1, "payload": -1, "conn": -1]
            if kind == "account" { rights["limits"] = noLimits }
            if kind == "user" { rights.merge(noLimits) { $1 } }
            let claims: [String: Any] = [
                "jti": UUID().uuidString, "iat": Int(Date().timeIntervalSince1970), "iss": name,
                "name": kind, "sub": other.name, "nats": rights,
            ]
            let header = Data(#"{"typ":"JWT","alg":"ed25519-nkey"}"#.utf8)
            let text =
                Self.base64(header) + "."
                + Self.base64(try JSONSerialization.data(withJSONObject: claims))
            try text.write(toFile: file + ".claims", atomically: true, encoding: .utf8)
            let signature = try shell(
                "openssl pkeyutl -sign -rawin -inkey '\(file)' -in '\(file).claims'")
            return text + "." + Self.base64(Data(signature))
        }

        private static func base64(_ data: Data) -> String {
            data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        }
    }

    private let folder = NSTemporaryDirectory() + "switchyard-operator-\(UUID().uuidString)"
    private let account: Key
    /// The lines for a server's configuration file.
    let configuration: String

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let top = try Key(.operator, in: folder)
        account = try Key(.account, in: folder)
        configuration = """
            operator: \(try top.sign("operator", of: top))
            resolver: MEMORY
            resolver_preload: { \(account.name): \(try top.sign("account", of: account)) }

            """
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Makes a file with the credentials of a new user. Credentials of another account are of no
    /// use.
    func makeUser() throws -> String {
        let user = try Key(.user, in: folder)
        let text = """
            -----BEGIN NATS USER JWT-----
            \(try account.sign("user", of: user))
            ------END NATS USER JWT------

            -----BEGIN USER NKEY SEED-----
            \(user.seed)
            ------END USER NKEY SEED------

            """
        let file = user.file + ".creds"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }
}
#endif
