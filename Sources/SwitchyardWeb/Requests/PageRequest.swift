// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
/// One request of a browser, as HTTP/1.1 has it (RFC 9112).
struct PageRequest: Equatable, Sendable {
    let method: String
    /// The path without the query.
    let path: String
    /// The headers by their names in lower case. The last value counts of a header that comes
    /// several times.
    let headers: [String: String]
    let body: [UInt8]
}
#endif
