// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardInspection

/// The deliveries that wait for some registrations. Those that wait in a mailbox count once,
/// however many registrations it has: each registration tells the number of all.
struct MailboxDepths: Equatable {
    private var byMailbox: [UInt64: Int] = [:]
    /// The elements that wait for the consumers of sequences. Each registration has its own.
    private var ofSequences = 0

    /// The number in all.
    var sum: Int { byMailbox.values.reduce(ofSequences, +) }

    /// The deliveries by which those in the mailbox that has grown the most have become more.
    /// Mailboxes that were not known before do not count.
    func growth(since before: MailboxDepths) -> Int {
        let growths = byMailbox.compactMap { mailbox, depth in
            before.byMailbox[mailbox].map { depth - $0 }
        }
        return growths.max() ?? 0
    }

    mutating func add(_ registration: InspectedCenters.Registration) {
        add(Int(registration.depth), in: registration.mailbox)
    }

    mutating func add(_ other: MailboxDepths) {
        for (mailbox, depth) in other.byMailbox { add(depth, in: mailbox) }
        ofSequences += other.ofSequences
    }

    private mutating func add(_ depth: Int, in mailbox: UInt64) {
        if mailbox == 0 {
            ofSequences += depth
        } else {
            byMailbox[mailbox] = max(byMailbox[mailbox] ?? 0, depth)
        }
    }
}
