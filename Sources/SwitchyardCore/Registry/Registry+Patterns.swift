// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

// Observers of names that fit a pattern. A pattern is a key of the table like a name; a post looks
// for the one pattern of each shape that its name fits.
extension Registry {
    /// The shapes of the patterns that are observed; valid as the table is.
    var patterns: Unmanaged<PatternShapes>? {
        currentPatterns.load(ordering: .acquiring).map { .fromOpaque($0) }
    }

    /// Counts an observation of any name, or of a pattern, that has come or gone.
    @inline(never)
    func countManyNames(of bucket: Bucket, _ change: Int, _ state: inout State) {
        if let shape = NamePattern(bucket.name)?.shape, bucket.topic.isPattern {
            count(shape, change, &state)
        }
        anyNameCount.wrappingAdd(change, ordering: .releasing)
    }

    private func count(_ shape: PatternShape, _ change: Int, _ state: inout State) {
        let before = state.patterns[shape] ?? 0
        state.patterns[shape] = before + change == 0 ? nil : before + change
        guard before == 0 || before + change == 0 else { return }
        Misuse.unless(
            state.patterns.count <= PatternShapes.most,
            "patterns of more than \(PatternShapes.most) shapes are observed on one center: observe patterns "
                + "with the same number of parts and wildcards at the same positions")
        let new =
            state.patterns.isEmpty
            ? nil
            : UnsafeRawPointer(
                Unmanaged.passRetained(PatternShapes(Array(state.patterns.keys))).toOpaque())
        if let old = currentPatterns.exchange(new, ordering: .acquiringAndReleasing) {
            state.retired.add(
                searched: Unmanaged<PatternShapes>.fromOpaque(old).takeRetainedValue())
        }
    }
}
