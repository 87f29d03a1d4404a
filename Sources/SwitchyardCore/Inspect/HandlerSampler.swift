// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// Looks which handlers the threads of this process are in, without a word to those threads: it
/// reads the hazard records, in which they say so anyway.
package enum HandlerSampler {
    /// Calls `body` with each thread that is inside a handler, and the innermost of its
    /// registrations.
    ///
    /// No pointer is followed: an address in a record counts only if it is one of `known`. A
    /// registration that was added since may be missed, and one at the address of an ended one is
    /// taken for that one.
    ///
    /// - Parameter known: the ``InspectedRegistration/id``s to look for.
    package static func look(
        among known: Set<UInt64>, _ body: (_ thread: Int32, _ registration: UInt64) -> Void
    ) {
        for record in HazardRecord.All() {
            if let found = record.pointee.innermost(of: known) {
                body(record.pointee.thread.load(ordering: .relaxed), found)
            }
        }
    }
}

extension HazardRecord {
    /// The last word that is among `known`.
    fileprivate func innermost(of known: Set<UInt64>) -> UInt64? {
        var found: UInt64?
        for index in 0..<Self.capacity {
            let word = words[index].load(ordering: .acquiring)
            if word == 0 { break }
            if known.contains(UInt64(word)) { found = UInt64(word) }
        }
        return found
    }
}
