// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
internal import SwitchyardCore

/// The page's door: decides which requests are let in. Every user of the machine reaches a port on
/// the loopback interface, and so does every page in the user's browser.
///
/// The address that the tool prints ends with a token. The page sends it once, and gets a cookie
/// for it. From then on, or after a while, the token is worth nothing: an address in a history, on
/// a screen or in the arguments of a program that opens a browser lets nobody in.
///
/// Cookies know no ports: a browser sends one to all servers of a host. So the cookie is for a
/// path that is secret too, which the page alone learns.
final class PageAccess: Sendable {
    let token = Secret()
    private let cookie = Secret()
    /// The folder of everything that is not for strangers.
    private let room = Secret()
    /// The hosts that a request may be made for.
    private let hosts: Set<String>
    /// Whether the token was used. Guarded by its own lock.
    private let isUsed = Guarded(false)
    /// The time after which the token lets nobody in.
    static let tokenLife = Duration.seconds(600)
    private let now: @Sendable () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant

    init(
        port: UInt16, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        // Browsers leave out the usual port.
        hosts = port == 80 ? ["127.0.0.1", "127.0.0.1:80"] : ["127.0.0.1:\(port)"]
        self.now = now
        start = now()
    }

    /// The path of the room, with a slash at both ends.
    var roomPath: String { "/\(room.text)/" }

    /// Refuses requests that another page had the browser make, and those for a name of
    /// somebody else's that leads to this machine (DNS rebinding).
    func check(_ request: PageRequest) throws(PageRefusal) {
        guard let host = request.headers["host"]?.lowercased(), hosts.contains(host) else {
            throw .foreign
        }
        // A browser sends it with every POST, and with every request of another page's script.
        let origin = request.headers["origin"]
        if request.method == "POST" || origin != nil {
            guard origin == "http://\(host)" else { throw .foreign }
        }
        // "none" is the user who has opened the address.
        if let site = request.headers["sec-fetch-site"] {
            guard site == "same-origin" || site == "none" || Self.isLink(request, site) else {
                throw .foreign
            }
        }
    }

    /// Whether somebody followed a link to the empty page, which is for everybody.
    private static func isLink(_ request: PageRequest, _ site: String) -> Bool {
        request.method == "GET" && request.path == "/"
            && request.headers["sec-fetch-mode"] == "navigate"
            && request.headers["sec-fetch-dest"] == "document"
    }

    /// Takes a token.
    ///
    /// - Returns: The cookie for it, as a header has it; nil if it is wrong, was used, or is too
    ///   old.
    func cookie(for token: [UInt8]) -> String? {
        guard self.token.isEqual(to: token), now() - start < Self.tokenLife else { return nil }
        let isFirst = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
        return isFirst
            ? "switchyard=\(cookie.text); Path=\(roomPath); SameSite=Strict; HttpOnly" : nil
    }

    /// Returns the path inside the room; nil for a path that leads elsewhere.
    func pathInRoom(_ request: PageRequest) throws(PageRefusal) -> Substring? {
        let path = request.path.utf8.dropFirst()
        let name = path.prefix { $0 != UInt8(ascii: "/") }
        guard name.count == room.text.utf8.count, name.endIndex != path.endIndex else { return nil }
        guard room.isEqual(to: name), hasCookie(request) else { throw .unknown }
        return request.path[path.index(after: name.endIndex)...]
    }

    private func hasCookie(_ request: PageRequest) -> Bool {
        let cookies = (request.headers["cookie"] ?? "").split(separator: ";")
        return cookies.contains { pair in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == "switchyard" && cookie.isEqual(to: parts[1].utf8)
        }
    }
}
#endif
