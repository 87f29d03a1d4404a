// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) package import SwitchyardCore

/// Records the posts of one name while one post in `interval` is traced. For tests with the trait
/// ``SamplingTrait``. Tracing concerns every center of the process, so each test needs names of its own.
///
/// - Parameter body: makes the posts, and waits until they have been delivered.
/// - Returns: The events of each post, in their order.
package func tracedPosts(
    named name: String, oneIn interval: UInt32 = 1,
    during body: () async throws -> Void
) async rethrows -> [[TraceEvent]] {
    let tracing = CenterDirectory.beginTracing()
    defer { CenterDirectory.endTracing(tracing) }
    TraceSampling.interval = interval
    let before = Dictionary(uniqueKeysWithValues: TraceRing.all.map { ($0.number, $0.end) })
    try await body()
    var events: [TraceEvent] = []
    for ring in TraceRing.all {
        var cursor = before[ring.number] ?? 0
        _ = ring.read(from: &cursor) { events.append($0) }
    }
    let topic = UInt64(Topic.name(name).hash)
    return events.filter { $0.kind == .posted && $0.subject == topic }.map { posted in
        events.filter { $0.post == posted.post }
    }
}
