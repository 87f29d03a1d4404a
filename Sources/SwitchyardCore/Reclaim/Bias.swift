// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// Decides who pays for the fence between a posting thread's write to its record and its next read.
///
/// Such a fence takes longer than the rest of a post. Posts are many and removals are few, so a
/// record is *biased* towards its owner after a while: the owner publishes with plain stores, and a
/// thread that wants to read the record first revokes the bias, with one heavy fence that reaches
/// all threads. From then on the owner fences again, for as many posts as pay for that heavy fence.
/// (Biased locks: K. Kawachiya et al., "Lock Reservation", OOPSLA 2002.)
///
/// Each publication looks at the bias *after* its store. If it sees the bias, it stands before the
/// revoker's heavy fence, which makes the store visible; if it does not, it passes a full fence of
/// its own. So a thread that finds no bias in a record, and then reads its words, sees all that was
/// published. Otherwise the owner's next read sees all that this thread did before.
enum Bias {
    /// The owner publishes with full fences.
    static let none: UInt8 = 0
    /// The owner publishes with plain stores.
    static let owner: UInt8 = 1
    /// The owner publishes with full fences again. Words that it published with plain stores before
    /// may not be visible yet.
    static let beingRevoked: UInt8 = 2

    /// The number of publications with full fences before one without. So many posts take about as
    /// long as a few heavy fences: a thread that posts is held up a little at most by one that
    /// removes and removes.
    static let fencesBetween = 1024
}

extension HazardRecord {
    /// One at a time: a record without bias is one whose revocation is complete.
    private static let revocation = Guarded(())

    /// Makes visible what all other threads have published so far. From now on, each makes its
    /// publications visible before its next read. Call it after a full fence.
    ///
    /// - Returns: Whether that took a heavy fence.
    static func revokeBias() -> Bool {
        for record in All()
        where record.pointee.bias.load(ordering: .acquiring) != Bias.none
            && !record.pointee.isCallers
        {
            return revocation.withLock { _ in revokeAll() }
        }
        return false
    }

    /// - Returns: False if another thread has revoked the biases, and passed the heavy fence.
    private static func revokeAll() -> Bool {
        var isAny = false
        for record in All()
        where record.pointee.bias.load(ordering: .relaxed) == Bias.owner
            && !record.pointee.isCallers
        {
            // Visible before the heavy fence, which begins with a full one.
            record.pointee.bias.store(Bias.beingRevoked, ordering: .releasing)
            isAny = true
        }
        guard isAny else { return false }
        switchyard_heavy_fence()
        endRevocation()
        return true
    }

    /// Notes that the revocation of biases is complete.
    private static func endRevocation() {
        // All records, also those that a thread has given up meanwhile: their next owner would
        // never be biased.
        var next = newest.load(ordering: .acquiring)
        while let record = next {
            if record.pointee.bias.load(ordering: .relaxed) == Bias.beingRevoked {
                record.pointee.bias.store(Bias.none, ordering: .releasing)
            }
            next = record.pointee.next
        }
    }
}
