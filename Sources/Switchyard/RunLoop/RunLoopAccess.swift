// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The one file that uses CoreFoundation. Foundation on Linux has no public way to wake another
// thread's run loop: `RunLoop.perform` does not, and a loop's CFRunLoop is hidden; nor to hear that
// a loop is about to wait, or which modes are common; nor what objects an array holds, when Swift
// has values of their kind. CoreFoundation has, here as on Apple's systems.
internal import CoreFoundation
internal import Foundation

/// Calls a closure on one thread's run loop when signalled from any thread, also while the loop
/// sleeps.
///
/// The signal is kept until the loop runs in one of the source's modes. A loop with a source keeps
/// running.
final class RunLoopSource: @unchecked Sendable {
    // Sendable: run-loop sources and loops may be used from any thread; `parts` is behind its lock.

    /// The function that the source calls. Retained by CoreFoundation for as long as the source can
    /// fire.
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

    /// A source on the main run loop, from any thread. It is never called if the main thread has
    /// ended.
    static func onMain(
        inModes modes: [RunLoop.Mode], perform: @escaping () -> Void
    )
        -> RunLoopSource
    {
        RunLoopSource(CFRunLoopGetMain(), MainLoopEnd.hasCome ? [] : modes, perform)
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
        for mode in modes { CFRunLoopAddSource(loop, source, mode.cfName) }
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
            CFRunLoopAddSource(parts.loop, parts.source, mode.cfName)
        }
    }

    /// No longer has the closure called in `mode`, and wakes the loop: it may have had nothing else
    /// to run for.
    func remove(_ mode: RunLoop.Mode) {
        parts.withLock { parts in
            guard let parts else { return }
            CFRunLoopRemoveSource(parts.loop, parts.source, mode.cfName)
            CFRunLoopWakeUp(parts.loop)
        }
    }

    /// Removes the source from its loop and lets go of the loop and of the closure's captures.
    func invalidate() {
        if let last = parts.exchange(nil) { CFRunLoopSourceInvalidate(last.source) }
    }
}

/// Calls a closure on the calling thread's run loop again and again, in its common modes, every ten
/// milliseconds, until it is ended.
final class RunLoopPulse {
    private let timer: CFRunLoopTimer?

    init(_ body: @escaping () -> Void) {
        let interval = 0.01
        timer = CFRunLoopTimerCreateWithHandler(
            nil, CFAbsoluteTimeGetCurrent() + interval, interval, 0, 0
        ) { _ in body() }
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopCommonModes)
    }

    func end() { CFRunLoopTimerInvalidate(timer) }
}

extension RunLoop.Mode {
    /// The mode as CoreFoundation knows it: it tells the two constants by their address.
    fileprivate var cfName: CFRunLoopMode? {
        switch self {
        case .common: kCFRunLoopCommonModes
        case .default: kCFRunLoopDefaultMode
        default: unsafeBitCast(rawValue as NSString, to: CFString.self)
        }
    }
}

extension NSArray {
    /// The elements as they are. Foundation on Linux hands out an `NSMutableArray` as an array, and
    /// an `NSMutableString` as a string: copies of another class.
    var objectsThemselves: [AnyObject] {
        #if canImport(Darwin)
        map { $0 as AnyObject }
        #else
        // Unsafe, because CoreFoundation's array is an untyped one: Foundation's is of the same
        // class, and holds nothing but objects.
        let array = unsafeBitCast(self, to: CFArray.self)
        return (0..<CFArrayGetCount(array)).compactMap { index in
            CFArrayGetValueAtIndex(array, index).map {
                Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
            }
        }
        #endif
    }
}

/// Some modes of a run loop; common modes stand for the loop's set of them.
final class RunLoopModes: @unchecked Sendable {
    // Sendable: constant, and CoreFoundation's strings and arrays may be read from any thread.

    static let `default` = RunLoopModes([.default])

    let modes: Set<RunLoop.Mode>
    fileprivate let names: [CFRunLoopMode]
    /// The names as `CFRunLoopPerformBlock` takes them.
    fileprivate let argument: AnyObject

    init(_ modes: Set<RunLoop.Mode>) {
        self.modes = modes
        names = modes.compactMap(\.cfName)
        guard names.count != 1, let array = CFArrayCreateMutable(nil, 0, nil) else {
            argument = names[0]
            return
        }
        // The array does not retain its elements; `names` does, for as long.
        for name in names { CFArrayAppendValue(array, Unmanaged.passUnretained(name).toOpaque()) }
        argument = array
    }

    /// Whether a loop that runs in `mode` runs in one of these.
    func contains(_ mode: RunLoop.Mode, isCommon: @autoclosure () -> Bool) -> Bool {
        modes.contains(mode) || modes.contains(.common) && isCommon()
    }
}

/// The run loop of a thread, as the thread's notification queues use it.
final class RunLoopHooks: @unchecked Sendable {
    // Sendable: a CFRunLoop may be used from any thread; `sentinel` is for the loop's thread alone.

    private let loop: CFRunLoop
    /// An observer of nothing in the common modes: a mode that has it is one of them.
    private var sentinel: CFRunLoopObserver?

    /// The hooks of the calling thread's loop.
    static var current: RunLoopHooks { RunLoopHooks(CFRunLoopGetCurrent()) }

    /// The hooks of the main loop, from any thread.
    static var main: RunLoopHooks { RunLoopHooks(CFRunLoopGetMain()) }

    private init(_ loop: CFRunLoop?) {
        guard let loop else { preconditionFailure("CoreFoundation gave no run loop") }
        self.loop = loop
    }

    /// Calls `body` once in one of `modes`: in the loop's present pass, after the timers, blocks or
    /// sources it is calling, or when it next runs. Until then the loop counts as having something
    /// to do there. Does not wake the loop.
    func perform(in modes: RunLoopModes, _ body: @escaping () -> Void) {
        CFRunLoopPerformBlock(loop, modes.argument, body)
    }

    /// Calls `body` once, when the loop is about to wait in one of `modes`.
    func beforeWaiting(in modes: RunLoopModes, _ body: @escaping () -> Void) {
        let activity = CFRunLoopActivity.beforeWaiting.rawValue
        let observer = CFRunLoopObserverCreateWithHandler(nil, CFOptionFlags(activity), false, 0) {
            _, _ in body()
        }
        for name in modes.names { CFRunLoopAddObserver(loop, observer, name) }
    }

    /// Has the loop go round once more before it waits, or stop waiting.
    func wake() { CFRunLoopWakeUp(loop) }

    /// The mode in which the loop runs at the moment; nil when it does not run.
    var currentMode: RunLoop.Mode? {
        guard let name = CFRunLoopCopyCurrentMode(loop) else { return nil }
        if name === kCFRunLoopDefaultMode { return .default }
        return RunLoop.Mode(rawValue: String(describing: unsafeBitCast(name, to: NSString.self)))
    }

    /// Whether `mode` is one of the loop's common modes. On the loop's thread only.
    func isCommon(_ mode: RunLoop.Mode) -> Bool {
        if mode == .default { return true }
        let observer = sentinel ?? addSentinel()
        return CFRunLoopContainsObserver(loop, observer, mode.cfName)
    }

    private func addSentinel() -> CFRunLoopObserver? {
        sentinel = CFRunLoopObserverCreateWithHandler(nil, 0, true, 0) { _, _ in }
        CFRunLoopAddObserver(loop, sentinel, kCFRunLoopCommonModes)
        return sentinel
    }
}
