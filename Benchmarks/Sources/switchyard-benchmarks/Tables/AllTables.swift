// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

extension Table {
    /// Every table, in the order in which they are measured.
    static var all: [Table] {
        [.posting, .threads, .registering, .queues, .crossing, .processes, .cluster]
    }
}
