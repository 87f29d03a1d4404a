// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
public import SwitchyardCore

extension DeliveryContext {
    /// Delivers on GLib's default main context, with ordinary priority: on the main thread of a
    /// program that runs GTK, `g_application_run` or a `GMainLoop` there.
    ///
    /// ```swift
    /// let token = center.observe(Progress.self, on: .glibMain) { progress in … }
    /// ```
    /// Until that loop runs, deliveries wait. It is not the same as `.main`: such a program serves
    /// neither the main dispatch queue nor the main run loop, so nothing that is sent to `.main`
    /// arrives. For the rest, see ``glib(_:priority:)``.
    public static var glibMain: DeliveryContext { .glib(.main) }

    /// Delivers on the thread that runs `context`, in the order of posting.
    ///
    /// ```swift
    /// let token = center.observe(Saved.self, on: .glib(.threadDefault)) { saved in … }
    /// ```
    /// A post made on the thread that owns the context (`g_main_context_is_owner`: one that runs
    /// its loop, or has pushed the context as its default) is delivered before it returns, when
    /// nothing else waits there; any other post waits its turn, and wakes the loop. A turn of the
    /// loop makes the deliveries that waited when it came to them, then goes on with its other
    /// sources.
    ///
    /// A handler may run the loop inside itself, as a modal dialog does: deliveries go on there, in
    /// order.
    ///
    /// While no loop runs, deliveries wait, and nothing is lost: they are made when one runs again,
    /// on whatever thread that is. The registration keeps neither the `GMainContext` nor a thread
    /// alive; see ``GLibContext`` for the end of a context.
    ///
    /// - Parameters:
    ///   - context: the main context.
    ///   - priority: the priority among the context's other sources. Each priority is a context of
    ///     its own, with its own order.
    public static func glib(
        _ context: GLibContext, priority: GLibContext.Priority = .normal
    ) -> DeliveryContext {
        .mailbox(context.loop.mailbox(priority: priority))
    }
}
#endif
