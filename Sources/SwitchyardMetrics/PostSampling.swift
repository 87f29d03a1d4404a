// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
internal import SwitchyardCore

/// The share of posts that metrics look at one by one, for figures that no counter has: how many
/// posts there were, how long handlers ran, and how long deliveries waited.
///
/// The share is a setting of the whole process: of those who trace posts, by this, a `FlowRecorder`
/// or a tool, the last to begin decides for all.
public struct PostSampling: Sendable, Hashable {
    let interval: Int?

    /// Looks at no post. Posts cost what they cost without metrics.
    public static let off = PostSampling(interval: nil)

    /// Looks at one post in `interval`, on each thread, with all that its handlers post.
    ///
    /// A post that is looked at takes some tens of nanoseconds longer, for each of its handlers.
    /// All other posts of the process take a few nanoseconds longer.
    ///
    /// - Parameter interval: from 1, which looks at every post, to 32,768.
    public static func oneIn(_ interval: Int) -> PostSampling {
        Misuse.unless(
            (1...32_768).contains(interval),
            "one post in \(interval) can't be looked at: give a number from 1 to 32,768")
        return PostSampling(interval: interval)
    }
}
#endif
