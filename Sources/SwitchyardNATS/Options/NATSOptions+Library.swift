// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation

// Conversion of the options into libnats's options.
extension NATSOptions {
    /// - Parameter host: the server's host, for the check of its certificate.
    /// - Returns: libnats's options, without a server's address, for the caller to destroy.
    func makeLibraryOptions(for host: String) throws -> OpaquePointer {
        _ = Self.keepOpenSSL
        var made: OpaquePointer?
        try NATSError.check(natsOptions_Create(&made), "make options")
        guard let options = made else { throw NATSError("there is no memory for options") }
        do {
            try setConnecting(options)
            try setCredentials(options)
            try setTLS(host, options)
            try setHabits(options)
        } catch {
            natsOptions_Destroy(options)
            throw error
        }
        return options
    }

    /// Keeps OpenSSL from ending at the process's exit, where connections of other threads use it.
    /// Before libnats begins to use it, because OpenSSL decides this at its first use.
    private static let keepOpenSSL: Void = switchyard_nats_keep_openssl()

    private func setConnecting(_ options: OpaquePointer) throws {
        // The limit is kept by `ServerHandover`. libnats's own must not end before, because libnats
        // would close a socket that is being replaced.
        let limit = connectTimeout.milliseconds + 60_000
        try NATSError.check(
            natsOptions_SetTimeout(options, min(limit, Int64(Int32.max))), "set a time limit")
        // libnats would connect to servers that this one names by itself, and without a limit.
        try NATSError.check(
            natsOptions_SetIgnoreDiscoveredServers(options, true), "set one server")
        let processName = name ?? ProcessInfo.processInfo.processName
        // libnats escapes nothing, neither in names nor in passwords.
        let name = ServerCredentials.isSendable(processName) ? processName : "switchyard"
        try NATSError.check(natsOptions_SetName(options, name), "set the name \(name)")
    }

    private func setCredentials(_ options: OpaquePointer) throws {
        switch credentials {
        case .user(let name, let password):
            try ServerCredentials.check(name, "the user's name")
            try ServerCredentials.check(password, "the user's password")
        case .token(let token): try ServerCredentials.check(token, "the token")
        case .file, .files, nil: break
        }
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

    private func setTLS(_ host: String, _ options: OpaquePointer) throws {
        // libnats would ask the server whether to use TLS without this setting, and believe the
        // answer.
        if usesTLS {
            try NATSError.check(natsOptions_SetSecure(options, true), "use TLS")
        }
        if usesTLS { try expect(host, options) }
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
    }

    /// Has libnats compare a host's name with the one in the certificate. Only where TLS is used:
    /// this makes libnats load certificates.
    func expect(_ host: String, _ options: OpaquePointer) throws {
        let name = tls?.serverName ?? host
        try NATSError.check(
            natsOptions_SetExpectedHostname(options, name), "expect the name \(name)")
    }

    private func setHabits(_ options: OpaquePointer) throws {
        // Observers in this process get its posts without the server.
        try NATSError.check(natsOptions_SetNoEcho(options, true), "set no echo")
        try NATSError.check(
            natsOptions_SetAllowReconnect(options, false), "set reconnecting")
        // Makes libnats announce at once that there is something to write; the event loop decides
        // when to write it.
        try NATSError.check(natsOptions_SetSendAsap(options, true), "set sending")
        // The largest number of bytes read at once, so that a burst is taken together.
        try NATSError.check(natsOptions_SetIOBufSize(options, 128 * 1024), "set a buffer")
        // These pings detect a silent loss of the server after one minute; libnats's defaults need
        // six.
        try NATSError.check(natsOptions_SetPingInterval(options, 20_000), "set pings")
        try NATSError.check(natsOptions_SetMaxPingsOut(options, 2), "set pings")
    }
}

extension Duration {
    /// The duration in nanoseconds, as JetStream takes it; at least one, and at most the largest
    /// number: 292 years.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, exceeds) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        if overflows || exceeds { return seconds < 0 ? 1 : .max }
        return max(1, sum)
    }

    /// The duration in whole milliseconds; at least one, and at most the largest that `poll` takes:
    /// 24 days.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        if overflows { return seconds < 0 ? 1 : Int64(Int32.max) }
        return min(max(1, whole + attoseconds / 1_000_000_000_000_000), Int64(Int32.max))
    }
}
#endif
