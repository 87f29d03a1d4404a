// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
import Foundation
import SwitchyardCore
import TestSupport
import Testing

@testable import SwitchyardWeb

/// The server of the live page, tested over its socket.
@Suite("The live page's server", .timeLimit(.minutes(5))) struct PageServerTests {
    /// A server, a client of it, and the token that it has printed.
    private struct Visit {
        let server: PageServer
        let client: PageClient
        let content: PlainContent
        let token: String

        /// Gets a cookie for the token.
        func enter() async throws -> (room: String, cookie: String) {
            let answer = await client.request("POST", "/enter", body: token)
            try #require(answer.status == 200)
            let cookie = try #require(answer.header("Set-Cookie"))
            return (answer.body, String(cookie.prefix { $0 != ";" }))
        }
    }

    private func visit(
        user: UInt32 = UInt32(geteuid()), _ body: (Visit) async throws -> Void
    ) async throws {
        let content = PlainContent()
        let server = try PageServer(port: 0, content, user: user)
        let serving = Task { try await server.serve() }
        defer { serving.cancel() }
        let token = try #require(server.address.split(separator: "#").last)
        try await body(
            Visit(
                server: server, client: PageClient(port: server.port), content: content,
                token: String(token)))
    }

    @Test func `The address has a token of 128 bits, which is another one each time`() async throws
    {
        try await visit { one in
            try await visit { other in
                #expect(one.token.count == 32)
                #expect(one.token.allSatisfy { $0.isHexDigit })
                #expect(one.token != other.token)
                #expect(one.server.port != other.server.port)
                #expect(one.server.address == "http://127.0.0.1:\(one.server.port)/#\(one.token)")
            }
        }
    }

    @Test func `The port is open at the server's loopback address alone`() async throws {
        try await visit { visit in
            #expect(visit.client.connect() != nil)
            // Another address of the loopback interface stands for that of a network card.
            #expect(visit.client.connect(to: "127.0.0.2") == nil)
        }
    }

    @Test(arguments: ["/", "/page.css", "/page.js"])
    func `Everybody gets the empty page, with the headers that keep it to itself`(
        _ path: String
    )
        async throws
    {
        try await visit { visit in
            let answer = await visit.client.request("GET", path)
            #expect(answer.status == 200)
            let policy = try #require(answer.header("Content-Security-Policy"))
            for part in [
                "default-src 'none'", "script-src 'self'", "style-src 'self'",
                "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
            ] {
                #expect(policy.contains(part))
            }
            #expect(!policy.contains("unsafe"))
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
            #expect(answer.header("Referrer-Policy") == "no-referrer")
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(answer.header("Set-Cookie") == nil)
            #expect(!answer.head.contains("Access-Control"))
        }
    }

    @Test func `The token gives a cookie once, and the cookie opens the rest`() async throws {
        try await visit { visit in
            let first = await visit.client.request("POST", "/enter", body: visit.token)
            #expect(first.status == 200)
            let set = try #require(first.header("Set-Cookie"))
            let room = first.body
            #expect(set.hasSuffix("; Path=\(room); SameSite=Strict; HttpOnly"))
            let again = await visit.client.request("POST", "/enter", body: visit.token)
            #expect(again.status == 401)
            #expect(again.header("Set-Cookie") == nil)
            let cookie = String(set.prefix { $0 != ";" })
            let command = await visit.client.request(
                "POST", room + "command", ["Cookie": "other=1; \(cookie)"], body: "do")
            #expect(command.status == 200)
            #expect(visit.content.commands.withLock { $0 } == ["do"])
        }
    }

    @Test func `A wrong token gives nothing, and does not use up the right one`() async throws {
        try await visit { visit in
            for wrong in ["", "0", String(repeating: "0", count: 32), visit.token + "0"] {
                let answer = await visit.client.request("POST", "/enter", body: wrong)
                #expect(answer.status == 401)
                #expect(answer.header("Set-Cookie") == nil)
            }
            #expect(await visit.client.request("GET", "/enter").status == 405)
            _ = try await visit.enter()
        }
    }

    @Test func `A request without the cookie gets no updates and no commands`() async throws {
        try await visit { visit in
            let (room, cookie) = try await visit.enter()
            let wrong = "switchyard=" + String(repeating: "0", count: 32)
            for cookie in [nil, "", "switchyard=", wrong, cookie + "0"] as [String?] {
                for (method, name) in [("GET", "updates"), ("POST", "command")] {
                    let answer = await visit.client.request(
                        method, room + name, ["Cookie": cookie])
                    #expect(answer.status == 401)
                }
            }
            // The cookie gives no access at another path.
            let other = "/" + String(repeating: "0", count: 32) + "/command"
            let answer = await visit.client.request("POST", other, ["Cookie": cookie])
            #expect(answer.status == 401)
            #expect(visit.content.commands.withLock { $0 } == [])
        }
    }

    @Test func `A request for another host is refused, also for the empty page`() async throws {
        try await visit { visit in
            let (room, cookie) = try await visit.enter()
            let port = visit.server.port
            for host in [
                nil, "", "127.0.0.1", "localhost:\(port)", "127.0.0.1:1", "evil.example:\(port)",
                "localhost.evil.example:\(port)", "127.0.0.1:\(port).evil.example", "[::1]:\(port)",
            ] as [String?] {
                let page = await visit.client.request("GET", "/", ["Host": host])
                #expect(page.status == 403)
                let updates = await visit.client.request(
                    "GET", room + "updates", ["Host": host, "Cookie": cookie])
                #expect(updates.status == 403)
            }
        }
    }

    @Test func `A request that another page makes is refused`() async throws {
        try await visit { visit in
            let (room, cookie) = try await visit.enter()
            let port = visit.server.port
            for origin in [
                nil, "null", "http://evil.example", "https://127.0.0.1:\(port)",
                "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost:\(port)",
            ] as [String?] {
                let answer = await visit.client.request(
                    "POST", room + "command", ["Origin": origin, "Cookie": cookie])
                #expect(answer.status == 403)
                let entering = await visit.client.request(
                    "POST", "/enter", ["Origin": origin], body: visit.token)
                #expect(entering.status == 403)
            }
            for site in ["cross-site", "same-site"] {
                let answer = await visit.client.request(
                    "GET", room + "updates", ["Sec-Fetch-Site": site, "Cookie": cookie])
                #expect(answer.status == 403)
                // Another page gets no file as a script or in a frame. A link leads to the empty
                // page.
                #expect(
                    await visit.client.request("GET", "/page.js", ["Sec-Fetch-Site": site]).status
                        == 403)
                let link = [
                    "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate",
                    "Sec-Fetch-Dest": "document",
                ]
                #expect(await visit.client.request("GET", "/", link).status == 200)
            }
            #expect(visit.content.commands.withLock { $0 } == [])
        }
    }

    @Test func `Requests that are too long, malformed or for nothing are refused with a reason`()
        async throws
    {
        try await visit { visit in
            let long = String(repeating: "a", count: 1_000_000)
            #expect(await visit.client.request("GET", "/", ["A": long]).status == 431)
            #expect(
                await visit.client.request("POST", "/enter", body: String(long.prefix(5000))).status
                    == 413)
            #expect(await visit.client.send("hello\r\n\r\n").status == 400)
            let missing = await visit.client.request("GET", "/../etc/passwd")
            #expect(missing.status == 404)
            #expect(missing.body == "There is nothing here.\n")
            #expect(await visit.client.request("PUT", "/").status == 405)
            #expect(await visit.client.request("OPTIONS", "/enter").status == 405)
            // The server still answers other requests.
            #expect(await visit.client.request("GET", "/").status == 200)
        }
    }

    @Test func `Content that is no command is refused`() async throws {
        try await visit { visit in
            let (room, cookie) = try await visit.enter()
            let answer = await visit.client.request(
                "POST", room + "command", ["Cookie": cookie], body: "nonsense")
            #expect(answer.status == 400)
            let get = await visit.client.request("GET", room + "command", ["Cookie": cookie])
            #expect(get.status == 405)
            let nothing = await visit.client.request("GET", room + "x", ["Cookie": cookie])
            #expect(nothing.status == 404)
        }
    }

    /// Opens a stream, and reads its first update.
    private func stream(_ visit: Visit, _ room: String, _ cookie: String) -> FileHandle? {
        guard let socket = visit.client.connect() else { return nil }
        let request = visit.client.text("GET", room + "updates", ["Cookie": cookie])
        try? socket.write(contentsOf: Data(request.utf8))
        return socket
    }

    /// Reads on a thread of its own until the text has come.
    private func read(_ socket: FileHandle, until wanted: String) async -> String {
        await withCheckedContinuation { done in
            let thread = Thread {
                var text = ""
                while !text.contains(wanted) {
                    guard let data = PageClient.receive(from: socket) else { break }
                    text += String(decoding: data, as: UTF8.self)
                }
                done.resume(returning: text)
            }
            thread.start()
        }
    }

    @Test func `Updates come as server-sent events, a quarter of a second apart`() async throws {
        try await visit { visit in
            let (room, cookie) = try await visit.enter()
            let socket = try #require(stream(visit, room, cookie))
            let begin = ContinuousClock.now
            let text = await read(socket, until: "data: {\"number\":2}\n\n")
            #expect(ContinuousClock.now - begin >= .milliseconds(240))
            #expect(text.contains("Content-Type: text/event-stream\r\n"))
            #expect(text.contains("\r\n\r\ndata: {\"number\":1}\n\ndata: {\"number\":2}\n\n"))
        }
    }

    @Test func `There are five streams at most, and one that ended makes place for another`()
        async throws
    {
        try await visit { visit in
            let (room, cookie) = try await visit.enter()
            var sockets: [FileHandle] = []
            for _ in 0..<PageServer.mostStreams {
                let socket = try #require(stream(visit, room, cookie))
                #expect(await read(socket, until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
                sockets.append(socket)
            }
            let refused = await visit.client.request("GET", room + "updates", ["Cookie": cookie])
            #expect(refused.status == 503)
            try sockets.removeLast().close()
            var status = 503
            while status == 503 {
                let socket = try #require(stream(visit, room, cookie))
                let text = await read(socket, until: "\r\n\r\n")
                status = text.hasPrefix("HTTP/1.1 200") ? 200 : 503
            }
            #expect(status == 200)
            withExtendedLifetime(sockets) {}
        }
    }

    @Test func `Connections that say nothing take no more places than there are`() async throws {
        try await visit { visit in
            var sockets: [FileHandle] = []
            for _ in 0..<(PageServer.mostConnections + 20) {
                sockets.append(try #require(visit.client.connect()))
            }
            // The oldest connections were closed, and a new request is answered.
            #expect(await visit.client.request("GET", "/").status == 200)
            #expect(PageClient.receive(from: sockets[0]) == nil)
            withExtendedLifetime(sockets) {}
        }
    }

    #if os(Linux)
    @Test func `Another user's programs are not answered`() async throws {
        try await visit(user: UInt32(geteuid()) + 1) { visit in
            #expect(await visit.client.request("GET", "/").status == 0)
        }
    }
    #endif

    @Test func `A socket of the server is not for programs that the tool starts`() async throws {
        try await visit { visit in
            // The test looks at all open sockets of the server, those of connections among them.
            let socket = try #require(visit.client.connect())
            #expect(await visit.client.request("GET", "/").status == 200)
            var found = 0
            for descriptor in 0..<min(Int32(getdtablesize()), 65_536)
            where descriptor != socket.fileDescriptor {
                guard localPort(of: descriptor) == visit.server.port else { continue }
                found += 1
                #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
            }
            #expect(found >= 2)
            withExtendedLifetime(socket) {}
        }
    }

    /// The port at this end of a socket; nil for another descriptor.
    private func localPort(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        return result == 0 && address.sin_family == sa_family_t(AF_INET)
            ? UInt16(bigEndian: address.sin_port) : nil
    }

    @Test func `The token lets nobody in after ten minutes`() {
        let now = Guarded(ContinuousClock.now)
        let old = PageAccess(port: 1) { now.withLock { $0 } }
        let fresh = PageAccess(port: 1) { now.withLock { $0 } }
        now.withLock { $0 += .seconds(599) }
        #expect(fresh.cookie(for: Array(fresh.token.text.utf8)) != nil)
        now.withLock { $0 += .seconds(1) }
        #expect(old.cookie(for: Array(old.token.text.utf8)) == nil)
    }

    @Test func `A secret equals itself alone`() {
        let secret = Secret()
        #expect(secret.isEqual(to: secret.text.utf8))
        #expect(!secret.isEqual(to: secret.text.dropLast().utf8))
        #expect(!secret.isEqual(to: (secret.text + "0").utf8))
        for index in 0..<32 {
            var other = Array(secret.text.utf8)
            other[index] ^= 1
            #expect(!secret.isEqual(to: other))
        }
    }
}
#endif
