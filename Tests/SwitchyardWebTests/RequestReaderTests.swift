// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
import Testing

@testable import SwitchyardWeb

/// Requests as they come off a socket.
@Suite("Requests of browsers") struct RequestReaderTests {
    private func read(_ text: String) throws -> PageRequest? {
        var reader = RequestReader()
        return try reader.take(Array(text.utf8))
    }

    @Test func `A request is the same in one piece and byte by byte`() throws {
        let text = "POST /enter?a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
        let whole = try #require(try read(text))
        #expect(whole.method == "POST")
        #expect(whole.path == "/enter")
        #expect(whole.headers["host"] == "x")
        #expect(whole.body == Array("abc".utf8))
        var reader = RequestReader()
        let bytes = Array(text.utf8)
        for byte in bytes.dropLast() { #expect(try reader.take([byte]) == nil) }
        #expect(try reader.take([bytes[bytes.count - 1]]) == whole)
    }

    @Test(arguments: [
        "GET /\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
        "GET http://x/ HTTP/1.1\r\n\r\n", " / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost x\r\n\r\n", "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        "GET / HTTP/1.1\r\n: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\nOrigin: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", "GET / HTTP/1.1\r\nHost: \u{0}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: ü\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n",
        "GET / HTTP/1.1\r\nOrigin: x\r\nOrigin: y\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
        "\r\n\r\n",
    ])
    func `A malformed request is refused`(_ text: String) {
        #expect(throws: PageRefusal.malformed) { try read(text) }
    }

    @Test func `A body without its length, and one that is too long, are refused`() {
        let start = "POST / HTTP/1.1\r\n"
        #expect(throws: PageRefusal.lengthMissing) {
            try read(start + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        }
        for length in ["2049", "99999999999999999999999"] {
            #expect(throws: PageRefusal.bodyTooLong) {
                try read(start + "Content-Length: \(length)\r\n\r\n")
            }
        }
        #expect(throws: Never.self) { try read(start + "Content-Length: 2048\r\n\r\n") }
    }

    @Test func `Headers that are too long are refused before they have ended`() {
        let long = String(repeating: "a", count: RequestReader.longestHead)
        #expect(throws: PageRefusal.headTooLong) { try read("GET /\(long)") }
        #expect(throws: PageRefusal.headTooLong) {
            try read("GET / HTTP/1.1\r\nA: \(long)\r\n\r\n")
        }
    }
}
#endif
