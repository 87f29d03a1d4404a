// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// A dictionary that forgets what has not been looked up for long.
///
/// It keeps at least the last `capacity` keys that were looked up, and at most twice as many. O(1).
struct RecentDictionary<Key: Hashable, Value> {
    private var recent: [Key: Value] = [:]
    private var earlier: [Key: Value] = [:]
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// The value of a key, which counts as looking it up.
    mutating func find(_ key: Key) -> Value? {
        if let value = recent[key] { return value }
        guard let value = earlier.removeValue(forKey: key) else { return nil }
        set(key, value)
        return value
    }

    mutating func set(_ key: Key, _ value: Value) {
        if recent.count >= capacity, recent[key] == nil {
            earlier = recent
            recent = [:]
        }
        recent[key] = value
    }

    /// The value of a key, which does not count.
    func peek(_ key: Key) -> Value? { recent[key] ?? earlier[key] }

    /// All values.
    var values: [Value] { Array(recent.values) + earlier.values }

    mutating func removeAll() {
        recent = [:]
        earlier = [:]
    }
}
#endif
