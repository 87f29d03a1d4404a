// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
import CSwitchyardGLib
import Foundation
import SwitchyardCore
import SwitchyardGLib
import TestSupport

/// A thread that runs a `GMainLoop` on a main context of its own, or on the default one.
final class RunningLoop: @unchecked Sendable {
    // Sendable: the pointers are constant, and GLib lets any thread use them; `jobs` is locked.
    private let mainContext: OpaquePointer?
    private let loop: OpaquePointer?
    private let jobs = Guarded<[@Sendable () -> Void]>([])
    private let ended = Gate()

    init(onDefault isDefault: Bool = false) {
        mainContext =
            isDefault ? g_main_context_ref(g_main_context_default()) : g_main_context_new()
        loop = g_main_loop_new(mainContext, 0)
        let started = Gate()
        perform { started.open() }
        // The thread keeps this object.
        let thread = Thread {
            g_main_loop_run(self.loop)
            self.ended.open()
        }
        thread.start()
        started.wait()
    }

    deinit {
        g_main_loop_unref(loop)
        g_main_context_unref(mainContext)
    }

    /// The context for Switchyard, which takes a reference of its own.
    var context: GLibContext {
        guard let mainContext else { fatalError("GLib made no context") }
        return GLibContext(mainContext: mainContext)
    }

    /// Runs `job` on the loop, as a source of GLib's own.
    func perform(_ job: @escaping @Sendable () -> Void) {
        jobs.withLock { $0.append(job) }
        let source = g_idle_source_new()
        g_source_set_priority(source, G_PRIORITY_DEFAULT)
        g_source_set_callback(
            source,
            { loop in
                guard let loop else { return 0 }
                Unmanaged<RunningLoop>.fromOpaque(loop).takeUnretainedValue().performNext()
                return 0
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
        g_source_attach(source, mainContext)
        g_source_unref(source)
    }

    private func performNext() {
        let job = jobs.withLock { $0.removeFirst() }
        job()
    }

    /// Runs `job` on the loop, and waits until it has returned.
    func performAndWait(_ job: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            perform {
                job()
                done.resume()
            }
        }
    }

    /// Makes one turn of the loop inside the one that runs. On the loop's thread.
    func nestedTurn() { g_main_context_iteration(mainContext, 1) }

    /// Stops the loop, and waits until it has returned.
    func stop() {
        g_main_loop_quit(loop)
        ended.wait()
    }
}
#endif
