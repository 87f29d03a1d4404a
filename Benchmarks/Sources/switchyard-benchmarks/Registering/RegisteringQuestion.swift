// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks

/// The costs of observing.
enum RegisteringQuestion {
    /// The way in which observers name their topic.
    enum Kind {
        case typed
        case named
    }

    /// The time to add and remove one, beside so many others under the same name.
    case pair(Kind, beside: Int)
    /// The memory that so many take, under one name or each under its own.
    case bytes(Kind, observers: Int, isSameName: Bool)
}

/// Something that observers are added to.
protocol RegisteringSubject: Subject where Question == RegisteringQuestion {}

extension RegisteringSubject {
    /// The bytes that `add` takes for each of `count` observers. Its result is let go afterwards.
    func bytes(_ count: Int, add: @escaping (Int) -> Any) -> Workload {
        // Memory that the first use allocates for good does not count.
        withExtendedLifetime(add(1)) {}
        return Workload(
            repeats: .once,
            measure: { _ in
                let before = benchmarks_allocated_bytes()
                let observers = add(count)
                let after = benchmarks_allocated_bytes()
                withExtendedLifetime(observers) {}
                return Double(after - before) / Double(count)
            })
    }
}
