// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation

// The options in libnats's terms.
extension NATSOptions {
    /// - Returns: What the caller has to destroy.
    func makeLibraryOptions() throws -> OpaquePointer {
        var made: OpaquePointer?
        try NATSError.check(natsOptions_Create(&made), "make options")
        guard let options = made else { throw NATSError("there is no memory for options") }
        do {
            try setServers(options)
            try setCredentials(options)
            try setTLS(options)
            try setHabits(options)
        } catch {
            natsOptions_Destroy(options)
            throw error
        }
        return options
    }

    private func setServers(_ options: OpaquePointer) throws {
        guard !servers.isEmpty else {
            throw NATSError("no server is given: name one, such as nats://127.0.0.1:4222")
        }
        var strings: [UnsafePointer<CChar>?] = servers.map { UnsafePointer(strdup($0)) }
        defer { for string in strings { free(UnsafeMutablePointer(mutating: string)) } }
        try NATSError.check(
            natsOptions_SetServers(options, &strings, Int32(strings.count)),
            "understand the servers \(servers.joined(separator: ", "))")
        try NATSError.check(
            natsOptions_SetTimeout(options, connectTimeout.milliseconds), "set a time limit")
        let name = name ?? ProcessInfo.processInfo.processName
        try NATSError.check(natsOptions_SetName(options, name), "set the name \(name)")
    }

    private func setCredentials(_ options: OpaquePointer) throws {
        let status: natsStatus =
            switch credentials {
            case nil: NATS_OK
            case .user(let name, let password): natsOptions_SetUserInfo(options, name, password)
            case .token(let token): natsOptions_SetToken(options, token)
            case .file(let path): natsOptions_SetUserCredentialsFromFiles(options, path, nil)
            case .files(let jwt, let seed):
                natsOptions_SetUserCredentialsFromFiles(options, jwt, seed)
            }
        try NATSError.check(status, "use the credentials")
    }

    var usesTLS: Bool { tls != nil || servers.contains { $0.hasPrefix("tls://") } }

    private func setTLS(_ options: OpaquePointer) throws {
        // The library itself asks the server, and believes it.
        if usesTLS {
            try NATSError.check(natsOptions_SetSecure(options, true), "use TLS")
        }
        guard let tls else { return }
        if let authorities = tls.authorities {
            try NATSError.check(
                natsOptions_LoadCATrustedCertificates(options, authorities),
                "read the authorities' certificates in \(authorities)")
        }
        if let certificate = tls.certificate {
            let key = tls.key ?? certificate
            try NATSError.check(
                natsOptions_LoadCertificatesChain(options, certificate, key),
                "read the certificate \(certificate) with the key \(key)")
        }
        if let name = tls.serverName {
            try NATSError.check(
                natsOptions_SetExpectedHostname(options, name), "expect the name \(name)")
        }
    }

    private func setHabits(_ options: OpaquePointer) throws {
        // What this process posts goes to its own observers another way.
        try NATSError.check(natsOptions_SetNoEcho(options, true), "set no echo")
        try NATSError.check(
            natsOptions_SetAllowReconnect(options, false), "set reconnecting")
        // Has the library say at once that there is something to write; what is written when, the
        // event loop decides.
        try NATSError.check(natsOptions_SetSendAsap(options, true), "set sending")
        // So much is read at once: what comes in a burst is taken together.
        try NATSError.check(natsOptions_SetIOBufSize(options, 128 * 1024), "set a buffer")
        // A server that has gone without a word is found out after a minute, in place of six.
        try NATSError.check(natsOptions_SetPingInterval(options, 20_000), "set pings")
        try NATSError.check(natsOptions_SetMaxPingsOut(options, 2), "set pings")
    }
}

extension Duration {
    /// In whole milliseconds, no fewer than one.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        if overflows { return seconds < 0 ? 1 : Int64(Int32.max) }
        return min(max(1, whole + attoseconds / 1_000_000_000_000_000), Int64(Int32.max))
    }
}
#endif
