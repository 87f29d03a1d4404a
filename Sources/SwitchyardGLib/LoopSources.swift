// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
internal import SwitchyardCore

/// Drains a mailbox in the turns of a loop.
final class MailSource: LoopSource, @unchecked Sendable {
    // Sendable: a constant that is.
    private let mailbox: SharedMailbox

    init(_ mailbox: SharedMailbox) { self.mailbox = mailbox }

    override var name: String { "Switchyard's deliveries" }

    override func dispatch() { mailbox.drainAll() }
}

/// Does nothing in a loop but learn that its main context ends.
final class LoopWatch: LoopSource, @unchecked Sendable {
    // Sendable: a constant that is.
    private let loop: GLibLoop

    init(_ loop: GLibLoop) { self.loop = loop }

    override var name: String { "Switchyard's watch" }

    /// The source stays until its main context ends, so this is the end of both.
    override func ended() { loop.mainContextEnds() }
}
#endif
