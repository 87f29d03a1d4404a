// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardInspection

/// The number of looks, one each millisecond, after which the threads' events are read again. A
/// thread keeps 4,096 events: one that makes more in between loses the oldest.
struct LookPace {
    private(set) var looks: UInt32
    private let most: UInt32

    /// The looks after which a thread with all the events that are asked for has made a quarter of
    /// what it keeps.
    private static let usual: UInt32 = 50
    private static let fewest: UInt32 = 5

    /// - Parameter span: the time of all looks. The events are read twice at least, so that the
    ///   growth of registrations is looked at in between.
    init(for span: Duration) {
        most = UInt32(max(1, min(Double(Self.usual), span / .milliseconds(2))))
        // The first events say how many there are, so that the process traces fewer posts if those
        // are too many: until then, it traces all.
        looks = min(Self.fewest, most)
    }

    /// Takes note of the events after the looks.
    mutating func took(_ batch: TraceBatch) {
        let haveBeenLost = batch.threads.contains { $0.overwritten > 0 }
        looks = haveBeenLost ? max(looks / 2, min(Self.fewest, most)) : min(looks * 2, most)
    }
}
