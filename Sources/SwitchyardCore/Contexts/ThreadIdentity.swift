// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// A thread, as a ``MailboxTarget`` names it: so that waits that would never end are found.
///
/// A thread has its identity for as long as it runs. After that, a new thread may get the same.
public struct ThreadIdentity: Sendable, Hashable {
    /// The address of the thread's own record, which lasts as long as the thread.
    private let token: UInt

    /// The calling thread.
    @available(*, noasync, message: "a task changes threads")
    public static var current: ThreadIdentity { ThreadIdentity(token: switchyard_thread_token()) }

    func resource(_ label: String) -> WaitGraph.Resource {
        WaitGraph.Resource(.thread(token), label)
    }
}
