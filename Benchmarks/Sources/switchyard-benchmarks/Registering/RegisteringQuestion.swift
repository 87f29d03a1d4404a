// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks

/// What it costs to observe.
enum RegisteringQuestion {
    /// How observers say what they want to hear.
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
    /// How many bytes `add` takes for each of `count` observers. What it returns is let go of after.
    func bytes(_ count: Int, add: @escaping (Int) -> Any) -> Workload {
        // What the first use allocates for good is not counted.
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
