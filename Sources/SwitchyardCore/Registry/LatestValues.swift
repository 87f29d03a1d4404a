// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The latest value of each topic and subject for which one was retained.
///
/// Guard: the registry's lock. So the user's code must not run here: values that are taken out are
/// the caller's to release.
struct LatestValues: Sendable {
    struct Entry: Sendable {
        /// The bucket of topic and subject. The registry's table has it for as long as this entry.
        let bucket: Bucket
        let value: AnyRetainedValue
        /// The entries are numbered in the order of posting.
        let number: UInt64
    }

    /// The entries of each topic, by its hash.
    private var entries: [UInt: [ObjectIdentifier: Entry]] = [:]
    private var count = 0
    private var last: UInt64 = 0
    /// The number of entries at which those whose subject has died are looked for.
    private var searchedAt = 64

    var isEmpty: Bool { count == 0 }

    /// Makes `value` the latest of `bucket`.
    ///
    /// - Returns: The one before it.
    mutating func set(_ value: AnyRetainedValue, of bucket: Bucket) -> AnyRetainedValue? {
        last += 1
        let entry = Entry(bucket: bucket, value: value, number: last)
        let old = entries[bucket.topicHash, default: [:]]
            .updateValue(entry, forKey: ObjectIdentifier(bucket))
        if let old { old.value.wasReplaced() } else { count += 1 }
        bucket.retains = true
        return old?.value
    }

    func value(of bucket: Bucket) -> AnyRetainedValue? { entry(of: bucket)?.value }

    /// The value of a bucket, if there is a bucket, and it has one.
    func entries(of bucket: Unmanaged<Bucket>?) -> [Entry] {
        bucket?._withUnsafeGuaranteedRef { entry(of: $0).map { [$0] } } ?? []
    }

    private func entry(of bucket: Bucket) -> Entry? {
        bucket.pin.isGone ? nil : entries[bucket.topicHash]?[ObjectIdentifier(bucket)]
    }

    mutating func remove(of bucket: Bucket) -> AnyRetainedValue? {
        guard let old = entries[bucket.topicHash]?.removeValue(forKey: ObjectIdentifier(bucket))
        else { return nil }
        if entries[bucket.topicHash]?.isEmpty == true { entries[bucket.topicHash] = nil }
        count -= 1
        bucket.retains = false
        return old.value
    }

    /// Takes out the values whose subject has died, once the values may have doubled since the last
    /// time.
    mutating func removeDead() -> [Entry] {
        guard count >= searchedAt else { return [] }
        defer { searchedAt = max(64, count * 2) }
        return removeAllDead()
    }

    /// Takes out the values whose subject has died.
    mutating func removeAllDead() -> [Entry] {
        let dead = entries.values.flatMap(\.values).filter(\.bucket.pin.isGone)
        for entry in dead { _ = remove(of: entry.bucket) }
        return dead
    }

    /// Takes out all values, when the center ends.
    mutating func removeAll() -> [AnyRetainedValue] {
        defer { self = LatestValues() }
        return entries.values.flatMap(\.values).map(\.value)
    }

    /// The values that an observer of `topic` hears about a subject that may be equal to `subject`.
    /// The caller puts them in order, which may take long, and compares the subjects, which is the
    /// user's code.
    func heard(of topic: Topic, about subject: Subject) -> [Entry] {
        let isForOne = !topic.isAnyName && !topic.isPattern
        let entries = isForOne ? [entries[topic.hash] ?? [:]] : Array(entries.values)
        var heard: [Entry] = []
        for entry in entries.flatMap(\.values) {
            let bucket = entry.bucket
            let isAboutSubject = subject.isNone || bucket.subject.mayEqual(subject)
            if isAboutSubject, topic.hears(bucket.topic), !bucket.pin.isGone { heard.append(entry) }
        }
        return heard
    }
}
