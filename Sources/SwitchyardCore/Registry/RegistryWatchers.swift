// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A listener that learns which topics are observed. Called under the registry's lock: it must not
/// call back.
package protocol TopicWatcher: AnyObject, Sendable {
    /// A first observation of `topic`, for some subject or any, is about to be added.
    func topicAppeared(_ topic: Topic)
    /// One of the subjects for which `topicAppeared` was called has no observation left.
    func topicDisappeared(_ topic: Topic)
}

/// A listener that learns at once of each change of the observed topics. Called under the
/// registry's lock: it must not call back.
package protocol InterestWatcher: AnyObject, Sendable {
    /// Called when the first live observation of `topic` about `subject` is there, or the last has
    /// ended.
    func interestChanged(_ topic: Topic, _ subject: Subject, isObserved: Bool)
}
