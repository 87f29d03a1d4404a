// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
import CSwitchyardGLib
import SwitchyardGLib

/// A main context whose turns a test makes itself.
final class ContextByHand: @unchecked Sendable {
    // Sendable: the pointer is constant, and GLib lets any thread use a main context.
    private let mainContext = g_main_context_new()

    deinit { g_main_context_unref(mainContext) }

    /// The same context for Switchyard, which takes a reference of its own.
    var context: GLibContext {
        guard let mainContext else { fatalError("GLib made no context") }
        return GLibContext(mainContext: mainContext)
    }

    /// Makes one turn of the loop on the calling thread.
    ///
    /// - Parameter waits: whether it waits until a source is ready.
    /// - Returns: Whether a source was ready.
    @discardableResult
    func turn(waits: Bool = false) -> Bool {
        g_main_context_iteration(mainContext, waits ? 1 : 0) != 0
    }

    /// Has a turn that waits return.
    func wakeUp() { g_main_context_wakeup(mainContext) }

    /// Runs `body` as the owner of the context, as inside a loop.
    func owned(_ body: () -> Void) {
        g_main_context_acquire(mainContext)
        body()
        g_main_context_release(mainContext)
    }

    /// Runs `body` while the context is the default of the calling thread.
    func asThreadDefault(_ body: () -> Void) {
        g_main_context_push_thread_default(mainContext)
        body()
        g_main_context_pop_thread_default(mainContext)
    }

    /// Makes it the calling thread's default context, until the thread ends.
    func pushForEver() { g_main_context_push_thread_default(mainContext) }
}
#endif
