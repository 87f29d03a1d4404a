// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CoreFoundation
internal import Foundation

/// A thread that runs its run loop, with what Foundation does not give out of it on Linux: the loop
/// that can be woken.
final class LoopThread: @unchecked Sendable {
    // Sendable: set on the thread before `ready`, read by others after it; a `CFRunLoop` may be
    // woken and stopped by any thread, a `RunLoop` be given blocks.
    private(set) var loop: RunLoop?
    private(set) var core: CFRunLoop?
    private let ready = DispatchSemaphore(value: 0)

    init() {
        Thread.detachNewThread { [self] in
            loop = RunLoop.current
            core = CFRunLoopGetCurrent()
            // A loop with nothing in it would return at once.
            loop?.add(
                Foundation.Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in },
                forMode: .default)
            ready.signal()
            CFRunLoopRun()
        }
        ready.wait()
    }

    func stop() { CFRunLoopStop(core) }

    /// Makes `run` what the loop does when it is signalled. The loop keeps it.
    func source(_ run: @escaping @Sendable () -> Void) -> LoopSource {
        let source = LoopSource(self, run)
        CFRunLoopAddSource(core, source.core, kCFRunLoopCommonModes)
        return source
    }
}

/// A source of a loop: signalling it is how other threads have a run loop do something.
final class LoopSource: @unchecked Sendable {
    // Sendable: constant after `init`; a source may be signalled by any thread.
    private(set) var core: CFRunLoopSource?
    private let thread: LoopThread
    private let run: @Sendable () -> Void

    fileprivate init(_ thread: LoopThread, _ run: @escaping @Sendable () -> Void) {
        self.thread = thread
        self.run = run
        var context = CFRunLoopSourceContext()
        // Never balanced: it lives as long as the benchmarks.
        context.info = Unmanaged.passRetained(self).toOpaque()
        context.perform = { info in
            guard let info else { return }
            Unmanaged<LoopSource>.fromOpaque(info).takeUnretainedValue().run()
        }
        core = CFRunLoopSourceCreate(nil, 0, &context)
    }

    func signal() {
        CFRunLoopSourceSignal(core)
        CFRunLoopWakeUp(thread.core)
    }
}
