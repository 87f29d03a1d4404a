// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation

/// Made-up certificates, in a folder of their own.
final class Certificates {
    private let folder = NSTemporaryDirectory() + "switchyard-certificates-\(UUID().uuidString)"

    func path(_ name: String) -> String { folder + "/" + name }

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let script = """
            set -e; cd '\(folder)'
            for name in authority other; do
                openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$name" \
                    -keyout $name.key -out $name.pem
            done
            for name in server client; do
                openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout $name.key -out $name.csr
                printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' > names
                openssl x509 -req -in $name.csr -CA authority.pem -CAkey authority.key \
                    -CAcreateserial -days 2 -extfile names -out $name.pem
            done
            """
        try shell(script)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}
#endif
