// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The one file that uses CoreFoundation. Foundation on Linux has no public way to wake another
// thread's run loop: `RunLoop.perform` does not, and a loop's CFRunLoop is hidden. CoreFoundation's
// sources do, here as on Apple's systems.
internal import CoreFoundation
internal import Foundation

/// Calls a closure on one thread's run loop when signalled from any thread, also while the loop
/// sleeps.
///
/// The signal is kept until the loop runs in one of the source's modes. A loop with a source keeps
/// running.
final class RunLoopSource: @unchecked Sendable {
    // Sendable: run-loop sources and loops may be used from any thread; `parts` is behind its lock.

    /// What the source calls. Retained by CoreFoundation for as long as the source can fire.
    private final class Info {
        let perform: () -> Void
        init(_ perform: @escaping () -> Void) { self.perform = perform }
    }

    // Sendable: CoreFoundation's sources and loops may be used from any thread.
    private struct Parts: @unchecked Sendable {
        let source: CFRunLoopSource
        let loop: CFRunLoop
    }

    private let parts: Guarded<Parts?>

    /// A source on the calling thread's run loop.
    convenience init(inModes modes: [RunLoop.Mode], perform: @escaping () -> Void) {
        self.init(CFRunLoopGetCurrent(), modes, perform)
    }

    /// A source on the main run loop, from any thread.
    static func onMain(
        inModes modes: [RunLoop.Mode], perform: @escaping () -> Void
    )
        -> RunLoopSource
    {
        RunLoopSource(CFRunLoopGetMain(), modes, perform)
    }

    private init(_ loop: CFRunLoop?, _ modes: [RunLoop.Mode], _ perform: @escaping () -> Void) {
        var context = CFRunLoopSourceContext()
        let info = Info(perform)
        context.info = Unmanaged.passUnretained(info).toOpaque()
        context.retain = { info in
            guard let info else { return nil }
            return UnsafeRawPointer(Unmanaged<Info>.fromOpaque(info).retain().toOpaque())
        }
        context.release = { info in
            if let info { Unmanaged<Info>.fromOpaque(info).release() }
        }
        context.perform = { info in
            if let info { Unmanaged<Info>.fromOpaque(info).takeUnretainedValue().perform() }
        }
        let source = withExtendedLifetime(info) {
            CFRunLoopSourceCreate(nil, 0, &context)
        }
        guard let source, let loop else {
            preconditionFailure("CoreFoundation gave no run-loop source")
        }
        for mode in modes { CFRunLoopAddSource(loop, source, Self.name(of: mode)) }
        parts = Guarded(Parts(source: source, loop: loop))
    }

    deinit { invalidate() }

    /// Has the closure called on the loop's thread, once for any number of signals before it runs.
    func signal() {
        parts.withLock { parts in
            guard let parts else { return }
            CFRunLoopSourceSignal(parts.source)
            CFRunLoopWakeUp(parts.loop)
        }
    }

    /// Has the closure called in `mode` as well.
    func add(_ mode: RunLoop.Mode) {
        parts.withLock { parts in
            guard let parts else { return }
            CFRunLoopAddSource(parts.loop, parts.source, Self.name(of: mode))
        }
    }

    /// No longer has the closure called in `mode`, and wakes the loop: it may have had nothing else
    /// to run for.
    func remove(_ mode: RunLoop.Mode) {
        parts.withLock { parts in
            guard let parts else { return }
            CFRunLoopRemoveSource(parts.loop, parts.source, Self.name(of: mode))
            CFRunLoopWakeUp(parts.loop)
        }
    }

    /// Removes the source from its loop and lets go of the loop and of what the closure holds.
    func invalidate() {
        if let last = parts.exchange(nil) { CFRunLoopSourceInvalidate(last.source) }
    }

    private static func name(of mode: RunLoop.Mode) -> CFRunLoopMode? {
        switch mode {
        case .common: kCFRunLoopCommonModes
        case .default: kCFRunLoopDefaultMode
        default: unsafeBitCast(mode.rawValue as NSString, to: CFString.self)
        }
    }
}
