// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What is posted, apart from the payload: by what it is matched, and what waits for it.
package struct Posting {
    package let topic: Topic
    package let subject: Subject
    /// What waits for the deliveries elsewhere; nil for most posts.
    package let wait: PostWait?

    @inlinable
    package init(_ topic: Topic, about subject: Subject, for wait: PostWait? = nil) {
        self.topic = topic
        self.subject = subject
        self.wait = wait
    }
}
