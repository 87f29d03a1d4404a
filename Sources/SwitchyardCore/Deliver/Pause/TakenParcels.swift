// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Deliveries that were taken out of a pause, and are dropped or queued one after the other. Hooks
/// may be called meanwhile; if one ends the thread, this goes on at the thread's end.
final class TakenParcels: EndsWithThread {
    private var waiting: ArraySlice<AnyParcel>
    /// The treated ones: the last reference to a payload may run the user's code, so all go
    /// together, at the end.
    private var treated: [AnyParcel] = []
    private let treat: (AnyParcel) -> Void

    init(_ parcels: [AnyParcel], treat: @escaping (AnyParcel) -> Void) {
        waiting = parcels[...]
        self.treat = treat
    }

    func treatAll() {
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        while let parcel = waiting.popFirst() {
            treated.append(parcel)
            treat(parcel)
        }
    }

    func threadEnds() { treatAll() }
}
