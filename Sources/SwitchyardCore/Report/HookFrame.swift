// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// One hook of a center that the calling thread is inside: a link of a chain that lives on the
/// thread's stack, innermost first.
///
/// A hook is not entered again for something it does itself before it returns: that could go on for
/// ever. Hooks of other centers, and the other hook of the same center, are entered. A delivery
/// that a hook queues is made outside it, and enters it like any other.
struct HookFrame {
    private let hook: ObjectIdentifier
    private let outer: UnsafeMutableRawPointer?

    /// Calls `hook`, unless the calling thread is inside it.
    ///
    /// - Returns: Whether it was called.
    static func enter<Argument>(_ hook: Callback<Argument>, _ argument: Argument) -> Bool {
        let outer = switchyard_get_thread_hook()
        var frame = HookFrame(hook: ObjectIdentifier(hook), outer: outer)
        if isInside(frame.hook) { return false }
        withUnsafeMutablePointer(to: &frame) { frame in
            switchyard_set_thread_hook(frame)
            hook.call(argument)
            switchyard_set_thread_hook(outer)
        }
        return true
    }

    private static func isInside(_ hook: ObjectIdentifier) -> Bool {
        var next = switchyard_get_thread_hook()
        while let frame = next?.assumingMemoryBound(to: HookFrame.self) {
            if frame.pointee.hook == hook { return true }
            next = frame.pointee.outer
        }
        return false
    }
}
