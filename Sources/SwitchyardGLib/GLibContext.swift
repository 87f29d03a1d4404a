// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
internal import CSwitchyardGLib

/// A main context of GLib's (`GMainContext`): the set of event sources that a `GMainLoop`,
/// `g_application_run` or `g_main_context_iteration` serves.
///
/// ```swift
/// let context = GLibContext(mainContext: pointer)    // from g_main_context_new(), for example
/// let token = center.observe(Saved.self, on: .glib(context)) { saved in … }
/// ```
/// For the context of the main thread, which GTK and `g_application_run` serve, write `.glibMain`.
///
/// **Lifetime.** This object holds a reference to the `GMainContext`, as whoever runs the loop
/// does. Two objects for one `GMainContext` stand for the same delivery context. Registrations hold
/// no reference: when the last one goes, the `GMainContext` ends, as GLib has it, and with it the
/// deliveries. Those that wait are then reported to the problem hook as undeliverable, on the
/// thread that gave up the last reference, and the receipts of later posts count theirs as
/// undeliverable. ``close()`` does the same earlier, for a loop that will not run any more.
///
/// All members may be used on any thread, also on one that GLib did not start.
public final class GLibContext: @unchecked Sendable {
    // Sendable: the pointer is constant, and GLib lets any thread use a main context.

    /// The `GMainContext`. It is valid for as long as this object.
    public let mainContext: OpaquePointer
    let loop: GLibLoop

    /// The given main context. Takes a reference of its own; yours stays yours.
    ///
    /// - Parameter mainContext: a pointer to a `GMainContext`. Not to a `GMainLoop`: Swift can't
    ///   tell the two apart. A loop's context is what `g_main_loop_get_context` returns.
    public convenience init(mainContext: OpaquePointer) {
        self.init(owning: g_main_context_ref(mainContext))
    }

    private init(owning mainContext: OpaquePointer) {
        self.mainContext = mainContext
        loop = GLibLoop.of(mainContext)
    }

    deinit { g_main_context_unref(mainContext) }

    /// The default main context (`g_main_context_default()`), which GTK and `g_application_run`
    /// serve.
    public static let main = GLibContext(mainContext: g_main_context_default())

    /// The main context that the calling thread has pushed (`g_main_context_push_thread_default`),
    /// or else the default one: where GLib's asynchronous functions call back when they are called
    /// here.
    @available(*, noasync, message: "a task changes threads; name the context")
    public static var threadDefault: GLibContext {
        GLibContext(owning: g_main_context_ref_thread_default())
    }

    /// Whether ``close()`` was called, on this object or on another one for the same
    /// `GMainContext`.
    public var isClosed: Bool { loop.isClosed }

    /// Ends all deliveries to the main context, for ever: because its loop will not run any more,
    /// or because the part of the program that observes there ends.
    ///
    /// Deliveries that wait are reported to the problem hook as undeliverable before this returns,
    /// and the receipts of later posts count theirs as undeliverable. A handler that is running
    /// goes on. Registrations stay, without effect, until their token or object goes. The loop
    /// itself, and its other sources, go on. Further calls do nothing.
    public func close() { loop.close() }
}
#endif
