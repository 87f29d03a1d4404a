// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The user's choice on the page.
enum LiveSelection: Equatable, Sendable {
    case nothing
    /// A poster, topic or handler, by its key.
    case node(String)
    /// A post, by its number.
    case post(UInt64)

    var node: String? {
        if case .node(let key) = self { key } else { nil }
    }
}

/// A request of the page.
enum LiveCommand: Equatable, Sendable {
    case select(LiveSelection)
    /// The trace events of a second to aim at.
    case budget(UInt32)
    case pause(Bool)

    /// The budgets that a page may ask for.
    static let budgets: [UInt32] = [2_000, 20_000, 100_000]

    private struct Sent: Decodable {
        var select: String?
        var post: String?
        var budget: UInt32?
        var pause: Bool?
    }

    /// Reads a command; nil if the bytes are none.
    ///
    /// - Parameter bytes: JSON, from a page.
    init?(_ bytes: [UInt8]) {
        guard let sent = try? JSONDecoder().decode(Sent.self, from: Data(bytes)) else { return nil }
        if let key = sent.select {
            self = .select(key.isEmpty ? .nothing : .node(key))
        } else if let post = sent.post, let number = UInt64(post) {
            self = .select(.post(number))
        } else if let budget = sent.budget, Self.budgets.contains(budget) {
            self = .budget(budget)
        } else if let pause = sent.pause {
            self = .pause(pause)
        } else {
            return nil
        }
    }
}
