// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import Synchronization

/// 100,000 observers that come and go while two threads post. The program prints what is left in
/// the end.
enum Soak {
    private static let observers = 100_000
    private static let heard = Atomic<Int>(0)

    private final class Item: Sendable {}

    private struct About: NotificationMessage {
        typealias Subject = Item
        var number: Int
    }

    private final class Listener: Sendable {
        func hear(_ message: About) {}
    }

    /// The observers: names with one observer each, names with ten, and methods about an instance.
    private struct Observers {
        var tokens: [ObservationToken]
        let items = (0..<observers / 4).map { _ in Item() }
        let listeners = (0..<observers / 4).map { _ in Listener() }

        init(_ center: Switchyard.NotificationCenter) {
            tokens = (0..<observers * 3 / 4).map { Self.observe($0, center) }
            for (item, listener) in zip(items, listeners) {
                center.observe(About.self, of: item, with: listener, Listener.hear)
            }
        }

        static func observe(
            _ number: Int, _ center: Switchyard.NotificationCenter
        ) -> ObservationToken {
            center.observe(name(number)) { _ in }
        }

        static func name(_ number: Int) -> Notification.Name {
            Notification.Name(number % 3 == 0 ? "shared \(number / 30)" : "own \(number)")
        }
    }

    static func run(posts: Int) {
        let center = Switchyard.NotificationCenter()
        let steady = Notification.Name("steady")
        let token = center.observe(steady) { _ in
            heard.wrappingAdd(1, ordering: .relaxed)
        }
        for _ in 0..<2 {
            round(center, steady, posts: posts)
            // Observers that died are found as registrations come and go.
            for _ in 0..<observers { center.observe(steady) { _ in }.cancel() }
            print(held())
        }
        token.cancel()
        // The number that is printed counts registrations that are left, and posts that were not
        // heard.
        print(center.snapshot().entries.count + abs(heard.load(ordering: .relaxed) - posts))
        print(ThreadChurn.isSanitized ? "sanitized" : "plain")
        exit(0)
    }

    private static func held() -> ThreadChurn.Held {
        // The allocator keeps memory for later. This memory is no leak, and is given back first.
        if let trim = dlsym(nil, "malloc_trim") {
            _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
        }
        return ThreadChurn.Held()
    }

    /// Two threads post; every second post is of the topic that is always observed. This thread
    /// removes and adds.
    private static func round(
        _ center: Switchyard.NotificationCenter, _ steady: Notification.Name, posts: Int
    ) {
        var observers = Observers(center)
        let names = (0..<1000).map { Observers.name($0 * 71) }
        let items = observers.items
        let group = DispatchGroup()
        for thread in 0..<2 {
            DispatchQueue.global().async(group: group) {
                for number in 0..<posts / 4 {
                    center.post(name: steady, object: nil)
                    if number % 2 == 0 {
                        center.post(name: names[number % names.count], object: nil)
                    } else {
                        let item = items[(number * 31 + thread) % items.count]
                        center.post(About(number: number), subject: item)
                    }
                }
            }
        }
        var next = 0
        while group.wait(timeout: .now()) == .timedOut {
            let number = next * 7919 % observers.tokens.count
            observers.tokens[number].cancel()
            observers.tokens[number] = Observers.observe(number, center)
            next += 1
        }
    }
}
