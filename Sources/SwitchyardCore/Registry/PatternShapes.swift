// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The shapes of the patterns that are observed, as posting threads read them.
final class PatternShapes: Sendable {
    /// The most shapes for which a post has room.
    static let most = 48

    let shapes: [PatternShape]

    init(_ shapes: [PatternShape]) { self.shapes = shapes }
}
