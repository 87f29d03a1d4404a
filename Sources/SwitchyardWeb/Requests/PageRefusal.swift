// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
/// The reason for which a request gets no other answer.
enum PageRefusal: Int, Error {
    case malformed = 400
    /// The cookie is missing or wrong, or the token is.
    case unknown = 401
    /// The request comes from another page, or was made for another host.
    case foreign = 403
    case notFound = 404
    case wrongMethod = 405
    case lengthMissing = 411
    case bodyTooLong = 413
    case headTooLong = 431
    /// The server has too many streams.
    case full = 503

    /// The reason, in words for people.
    var words: String {
        switch self {
        case .malformed: "The request is malformed."
        case .unknown:
            "Open the address that the tool has printed. It lets one browser in, once, for 10 minutes."
        case .foreign: "The request comes from another page."
        case .notFound: "There is nothing here."
        case .wrongMethod: "This can't be done here."
        case .lengthMissing: "The request has to say its length."
        case .bodyTooLong: "The request is too long."
        case .headTooLong: "The headers are too long."
        case .full: "Too many pages look at this process already: close some, then reload this one."
        }
    }
}
#endif
