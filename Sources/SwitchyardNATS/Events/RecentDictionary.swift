// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// A dictionary that forgets keys that have not been looked up for long.
///
/// The dictionary keeps at least the `capacity` keys looked up last, and at most twice as many.
/// O(1).
struct RecentDictionary<Key: Hashable, Value> {
    private var recent: [Key: Value] = [:]
    private var earlier: [Key: Value] = [:]
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// Returns the value of a key, and counts as a look-up of the key.
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

    /// Returns the value of a key, without counting as a look-up.
    func peek(_ key: Key) -> Value? { recent[key] ?? earlier[key] }

    /// All values.
    var values: [Value] { Array(recent.values) + earlier.values }

    mutating func removeAll(where isUnneeded: (Value) -> Bool) {
        recent = recent.filter { !isUnneeded($0.value) }
        earlier = earlier.filter { !isUnneeded($0.value) }
    }

    mutating func removeAll() {
        recent = [:]
        earlier = [:]
    }
}
#endif
