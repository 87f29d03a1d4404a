// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
/// Puts a request together from bytes as they come. It takes much less than the standard allows: a
/// page of ours sends nothing else, and a program that reaches the port without being allowed in
/// may send anything.
struct RequestReader {
    /// The most bytes of a request line and headers. A browser sends along the cookies that any
    /// server on 127.0.0.1 has set, and developers have many.
    static let longestHead = 32 * 1024
    /// The most bytes of a body.
    static let longestBody = 2048

    private var bytes: [UInt8] = []
    /// The index after the empty line that ends the head; nil before that has come.
    private var headEnd: Int?
    private var head: Head?

    /// Adds bytes.
    ///
    /// - Returns: The request, once it is complete. The bytes after it are passed over.
    mutating func take(_ more: [UInt8]) throws(PageRefusal) -> PageRequest? {
        let searched = max(0, bytes.count - 3)
        bytes += more
        if headEnd == nil { headEnd = Self.endOfHead(in: bytes[searched...]) }
        guard let headEnd else {
            if bytes.count > Self.longestHead { throw .headTooLong }
            return nil
        }
        if headEnd > Self.longestHead { throw .headTooLong }
        let head = try head(endingAt: headEnd)
        guard bytes.count >= headEnd + head.bodyLength else { return nil }
        return PageRequest(
            method: head.method, path: head.path, headers: head.headers,
            body: Array(bytes[headEnd..<(headEnd + head.bodyLength)]))
    }

    private mutating func head(endingAt end: Int) throws(PageRefusal) -> Head {
        if let head { return head }
        let read = try Head(bytes[..<(end - 4)])
        head = read
        return read
    }

    private static func endOfHead(in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 4 else { return nil }
        let end: [UInt8] = [13, 10, 13, 10]
        return (bytes.startIndex...(bytes.endIndex - 4))
            .first { bytes[$0] == 13 && bytes[$0..<($0 + 4)].elementsEqual(end) }
            .map { $0 + 4 }
    }
}

extension RequestReader {
    /// The request line and the headers.
    private struct Head {
        let method: String
        let path: String
        let headers: [String: String]
        let bodyLength: Int

        /// The headers that decide who is let in, or where a request ends: two of them are an
        /// attack.
        private static let single: Set<String> = [
            "host", "origin", "content-length", "transfer-encoding", "sec-fetch-site",
        ]

        /// - Parameter bytes: the head without the line ends at its end.
        init(_ bytes: ArraySlice<UInt8>) throws(PageRefusal) {
            // Printable ASCII alone, tabs, and whole line ends.
            guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) || [9, 10, 13].contains($0) })
            else {
                throw .malformed
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
            guard !lines.contains(where: { $0.contains { $0 == "\r" || $0 == "\n" } }) else {
                throw .malformed
            }
            let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 3, words[2] == "HTTP/1.1", words[1].first == "/",
                !words[0].isEmpty
            else { throw .malformed }
            method = String(words[0])
            path = String(words[1].prefix { $0 != "?" })
            headers = try Self.headers(lines.dropFirst())
            bodyLength = try Self.bodyLength(headers)
        }

        private static func headers(
            _ lines: ArraySlice<Substring>
        ) throws(PageRefusal) -> [String: String] {
            var headers: [String: String] = [:]
            for line in lines {
                guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
                    throw .malformed
                }
                let name = line[..<colon].lowercased()
                guard name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
                else { throw .malformed }
                var value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
                while value.last == " " || value.last == "\t" { value.removeLast() }
                if headers[name] != nil, single.contains(name) { throw .malformed }
                headers[name] = String(value)
            }
            return headers
        }

        private static func bodyLength(_ headers: [String: String]) throws(PageRefusal) -> Int {
            // Browsers send the length of a page's command.
            if headers["transfer-encoding"] != nil { throw .lengthMissing }
            guard let text = headers["content-length"] else { return 0 }
            guard !text.isEmpty, text.allSatisfy({ $0.isASCII && $0.isNumber }) else {
                throw .malformed
            }
            guard let length = Int(text), length <= longestBody else { throw .bodyTooLong }
            return length
        }
    }
}
#endif
