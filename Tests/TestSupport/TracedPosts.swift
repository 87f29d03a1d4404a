// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) package import SwitchyardCore

/// Records the posts of one name while one post in `interval` is traced. For tests with the trait
/// ``SamplingTrait``. Tracing concerns every center of the process, so each test needs names of its
/// own.
///
/// - Parameters:
///   - post: makes the posts. Their events are read on the same thread before anything else runs on
///     it: other tests post as well, and would soon write over them.
///   - delivery: waits until the posts have been delivered.
/// - Returns: The events of each post, in their order. A post that a queue coalesced has one.
package func tracedPosts(
    named name: String, oneIn interval: UInt32 = 1,
    posting post: () throws -> Void, until delivery: () async throws -> Void
) async rethrows -> [[TraceEvent]] {
    let tracing = CenterDirectory.beginTracing()
    defer { CenterDirectory.endTracing(tracing) }
    TraceSampling.interval = interval
    var cursors = Dictionary(uniqueKeysWithValues: TraceRing.all.map { ($0.number, $0.end) })
    var events: [TraceEvent] = []
    func read() {
        for ring in TraceRing.all {
            _ = ring.read(from: &cursors[ring.number, default: 0]) { events.append($0) }
        }
    }
    try post()
    read()
    try await delivery()
    read()
    let topic = UInt64(Topic.name(name).hash)
    let begins: Set<TraceEvent.Kind> = [.posted, .coalesced]
    return events.filter { begins.contains($0.kind) && $0.subject == topic }.map { posted in
        events.filter { $0.post == posted.post }
    }
}
