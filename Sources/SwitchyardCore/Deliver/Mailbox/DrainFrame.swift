// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// One mailbox that the calling thread is delivering from: a link of a chain that lives on the
/// thread's stack, innermost first.
struct DrainFrame {
    private unowned(unsafe) let mailbox: SharedMailbox  // Kept by the frame's maker.
    private let outer: UnsafeMutableRawPointer?

    /// Calls `body` as a delivery from `mailbox`.
    static func inside<Result>(_ mailbox: SharedMailbox, _ body: () -> Result) -> Result {
        var frame = DrainFrame(mailbox: mailbox, outer: switchyard_get_thread_drain())
        return withUnsafeMutablePointer(to: &frame) { pointer in
            switchyard_set_thread_drain(pointer)
            defer { switchyard_set_thread_drain(pointer.pointee.outer) }
            return body()
        }
    }

    /// The mailboxes that the calling thread is delivering from.
    static var mailboxes: [SharedMailbox] {
        var found: [SharedMailbox] = []
        var next = switchyard_get_thread_drain()
        while let frame = next?.assumingMemoryBound(to: DrainFrame.self) {
            found.append(frame.pointee.mailbox)
            next = frame.pointee.outer
        }
        return found
    }

    static func isInside(_ mailbox: SharedMailbox) -> Bool {
        mailboxes.contains { $0 === mailbox }
    }
}
