// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One delivery that waits in a mailbox. Owns what it names: it is delivered or discarded once.
struct MailEntry {
    let observation: Unmanaged<Observation>
    let parcel: Unmanaged<AnyParcel>

    init(_ observation: Unmanaged<Observation>, _ parcel: AnyParcel) {
        self.observation = observation.retain()
        self.parcel = .passRetained(parcel)
    }

    /// Calls the handler, unless the observation has ended.
    consuming func deliver() {
        let observation = observation.takeRetainedValue()
        parcel.takeRetainedValue().deliver(to: observation)
    }

    /// Gives up what was not delivered; the center that posted it.
    consuming func discard() -> NotificationEngine {
        observation.release()
        return parcel.takeRetainedValue().center
    }
}

/// A first-in, first-out queue of deliveries: one array that is filled, then emptied.
///
/// A mailbox has two and exchanges them, so that the one that fills never moves what waits.
struct MailQueue {
    private var entries: [MailEntry] = []
    private var head = 0

    /// Above this many entries the memory of an emptied queue is given back.
    private static let keptCapacity = 4096

    var count: Int { entries.count - head }
    var isEmpty: Bool { head == entries.count }

    mutating func append(_ entry: MailEntry) { entries.append(entry) }

    mutating func popFirst() -> MailEntry? {
        guard head < entries.count else { return nil }
        let entry = entries[head]
        head += 1
        if head == entries.count {
            head = 0
            entries.removeAll(keepingCapacity: entries.capacity <= Self.keptCapacity)
        }
        return entry
    }
}
