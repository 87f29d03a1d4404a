// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The content of a page. The server asks for it on any thread.
package protocol PageContent: Sendable {
    /// The updates of one page that was opened.
    associatedtype Updates: PageUpdates

    /// Begins with a page that knows nothing yet.
    func updates() -> Updates

    /// Carries out a page's command.
    ///
    /// - Parameter command: the text that the page has sent, which may be anything.
    /// - Returns: False if that is no command.
    func take(_ command: [UInt8]) -> Bool
}

/// The news for one page, part by part.
package protocol PageUpdates: Sendable {
    /// The next part, as one line of JSON; nil if nothing is new. A page that takes nothing is
    /// asked for nothing, so that nothing waits for it here.
    ///
    /// - Parameter limit: the most bytes that it may have.
    mutating func next(limit: Int) -> String?
}
