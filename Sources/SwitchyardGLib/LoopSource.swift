// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
internal import CSwitchyardGLib
internal import Synchronization

/// An event source of a main context: the answers to GLib's questions. GLib keeps it for as long as
/// the source.
///
/// GLib calls these methods without any lock of its own.
class LoopSource: @unchecked Sendable {
    // Sendable: this class has no state, and its subclasses have constants that are Sendable.

    /// The name in GLib's own reports.
    var name: String { "Switchyard" }

    /// Does the source's work, on the loop's thread: in a turn for which it was ready.
    func dispatch() {}

    /// The source is being taken from its context, which may be about to be freed. Called on any
    /// thread.
    func ended() {}
}

extension LoopSource {
    /// Creates the source, and adds it to a main context.
    @discardableResult
    final func attach(to mainContext: OpaquePointer, priority: Int32) -> AttachedSource {
        let owner = Unmanaged.passRetained(self).toOpaque()
        let source = AttachedSource(switchyard_glib_source_new(Self.functions, owner))
        g_source_set_name(source.pointer, name)
        g_source_set_priority(source.pointer, priority)
        // A handler may run the loop inside itself.
        g_source_set_can_recurse(source.pointer, 1)
        // The function is never called: `dispatch` does the work. The other one is told of the
        // source's end, before the main context is freed. (The source's own `finalize` comes after
        // that.)
        g_source_set_callback(
            source.pointer, { _ in 0 }, owner,
            { owner in
                _ = published.load(ordering: .acquiring)
                guard let owner else { return }
                Unmanaged<LoopSource>.fromOpaque(owner).takeUnretainedValue().ended()
            })
        published.add(1, ordering: .releasing)
        g_source_attach(source.pointer, mainContext)
        return source
    }

    /// GLib's table of functions. It is never freed: GLib has its address.
    // Unsafe to the compiler because it is a pointer: the table is constant.
    private nonisolated(unsafe) static let functions: UnsafeMutablePointer<GSourceFuncs> = {
        let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
        functions.initialize(
            to: GSourceFuncs(
                // None: its ready time says whether a source is ready.
                prepare: nil, check: nil,
                dispatch: { source, _, _ in
                    // Before the work, so that whatever comes during it asks for another turn.
                    g_source_set_ready_time(source, -1)
                    LoopSource.of(source).dispatch()
                    // The source stays.
                    return 1
                },
                finalize: { Unmanaged.passUnretained(LoopSource.of($0)).release() },
                closure_callback: nil, closure_marshal: nil))
        return functions
    }()

    private static func of(_ source: UnsafeMutablePointer<GSource>?) -> LoopSource {
        _ = published.load(ordering: .acquiring)
        guard let owner = switchyard_glib_source_owner(source) else {
            fatalError("Switchyard: GLib named a source that is not Switchyard's")
        }
        return Unmanaged<LoopSource>.fromOpaque(owner).takeUnretainedValue()
    }
}

/// The number of sources that were made. A thread that GLib calls for a source reads it, and so
/// sees what the maker has written: GLib's own lock says so too, but ThreadSanitizer does not see
/// that one.
private let published = Atomic<Int>(0)

/// A source that was added to a main context.
final class AttachedSource: @unchecked Sendable {
    // Sendable: the pointer is constant, and GLib lets any thread use a source.

    fileprivate let pointer: UnsafeMutablePointer<GSource>

    /// Takes over the caller's reference.
    fileprivate init(_ pointer: UnsafeMutablePointer<GSource>) { self.pointer = pointer }

    deinit { g_source_unref(pointer) }

    /// Has the loop call the source in its next turn, and wakes the loop. Callable on any thread.
    func makeReady() { g_source_set_ready_time(pointer, 0) }

    /// Takes it from its context: no turn of the loop calls it any more, except for a call that has
    /// begun.
    func destroy() { g_source_destroy(pointer) }
}
#endif
