// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A post without its payload: the topic and subject by which it is matched, and the wait of its
/// poster.
package struct Posting {
    package let topic: Topic
    package let subject: Subject
    /// The wait for the deliveries elsewhere; nil for most posts.
    package let wait: PostWait?
    /// Whether the compiler has seen that the post is made on the main actor.
    package let isOnMainActor: Bool

    @inlinable
    package init(
        _ topic: Topic, about subject: Subject, for wait: PostWait? = nil,
        isOnMainActor: Bool = false
    ) {
        self.topic = topic
        self.subject = subject
        self.wait = wait
        self.isOnMainActor = isOnMainActor
    }
}
