// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
/// An answer to a request, with the headers that keep the page to itself.
struct PageAnswer: Equatable, Sendable {
    var status = 200
    var type = "text/plain; charset=utf-8"
    /// Further headers.
    var headers: [String] = []
    /// Nil for a stream, whose end is that of the connection.
    var body: [UInt8]? = []

    /// The page takes scripts, styles and data from its own server alone, puts nothing else in, and
    /// stands in nobody's frame.
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'"

    private static let common = [
        "Content-Security-Policy: \(policy)", "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer", "Cache-Control: no-store",
        "Cross-Origin-Resource-Policy: same-origin", "Cross-Origin-Opener-Policy: same-origin",
        "Connection: close",
    ]

    /// The answer as it is sent.
    var bytes: [UInt8] {
        var lines = ["HTTP/1.1 \(status) \(status < 300 ? "OK" : "Refused")"]
        lines += Self.common + headers + ["Content-Type: \(type)"]
        if let body { lines.append("Content-Length: \(body.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }

    init(type: String, body: [UInt8]?, headers: [String] = []) {
        (self.type, self.body, self.headers) = (type, body, headers)
    }

    init(_ refusal: PageRefusal) {
        status = refusal.rawValue
        body = Array("\(refusal.words)\n".utf8)
    }

    /// The beginning of a stream of events.
    static let stream = PageAnswer(type: "text/event-stream", body: nil)
}
#endif
