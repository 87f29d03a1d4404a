// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The registrations of a center that come after a moment and should end.
struct LeakScope {
    private let center: any MessageObserving
    /// The number of the last registration before.
    private let before: UInt64
    private let allowed: [String]

    /// The interval between the first two looks; it doubles until it is `longestPause`.
    private static let firstPause = Duration.milliseconds(1)
    private static let longestPause = Duration.milliseconds(50)
    /// The largest number of observations that a failure's text lists.
    private static let mostTold = 12

    /// Begins now.
    init(in center: any MessageObserving, allowing allowed: [String]) {
        self.center = center
        self.allowed = allowed
        before = center.engine.lastRegistration
    }

    /// The registrations that are still on. Registrations whose observer object has died are not:
    /// the next post would end them.
    private var leaks: [CenterSnapshot.Entry] {
        center.snapshot().entries.filter { entry in
            entry.sequence > before && !entry.observerIsGone
                && !allowed.contains { entry.origin.isNamed($0) }
        }
    }

    /// The registrations that are still on when `limit` is over; none, as soon as none is.
    func leaks<Time: Clock<Duration>>(
        within limit: Duration, on clock: Time, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [CenterSnapshot.Entry] {
        let end = clock.now.advanced(by: limit.withinACentury)
        var pause = Self.firstPause
        var left = leaks
        while !left.isEmpty, clock.now < end {
            try await clock.sleep(
                until: min(clock.now.advanced(by: pause), end), tolerance: nil)
            pause = min(pause * 2, Self.longestPause)
            left = leaks
        }
        return left
    }
}

// MARK: - Words

extension LeakScope {
    static func inWords(_ leaks: [CenterSnapshot.Entry]) -> String {
        let count = leaks.count == 1 ? "1 observation" : "\(leaks.count) observations"
        let lines = leaks.prefix(mostTold).map { "\n  " + inWords($0) }
        let more = leaks.count > mostTold ? "\n  and \(leaks.count - mostTold) more" : ""
        return "\(count) outlived the scope:" + lines.joined() + more
    }

    private static func inWords(_ entry: CenterSnapshot.Entry) -> String {
        "\(entry.topic), \(entry.object), on \(entry.context), registered at \(entry.origin) "
            + "(\(entry.handler)\(ownerInWords(entry)))"
    }

    private static func ownerInWords(_ entry: CenterSnapshot.Entry) -> String {
        if let owner = entry.owner {
            if entry.ownerIsGone { return "; its owner, \(withArticle(owner)), has died" }
            return "; its owner, \(withArticle(owner)), lives"
        }
        switch entry.role {
        case .method: return "; the object lives"
        case .closure where entry.handler == "a block":
            return "; its owner is unknown: register it with observe(_:options:using:) and "
                + ".owned(by: self), to have it named"
        case .closure, .isolated:
            return
                "; its owner is unknown: register it with options: .owned(by: self), to have it named"
        case .other: return ""
        }
    }

    private static func withArticle(_ name: String) -> String {
        "\("AEIOUaeiou".contains(name.prefix(1)) ? "an" : "a") \(name)"
    }
}

extension RegistrationSite {
    /// Whether `origin` is this file, or this file and line, with or without the module.
    fileprivate func isNamed(_ origin: String) -> Bool {
        [file, description].contains { $0 == origin || $0.hasSuffix("/" + origin) }
    }
}
