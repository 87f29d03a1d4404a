// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
@_spi(Engine) internal import SwitchyardCore

/// The process's one watch for removed sockets and folders. All meshes of the process share it,
/// because a user may have few watches (128 on most systems, `fs.inotify.max_user_instances`), and
/// other programs need them as well.
enum AddressWatch {
    private struct Watch {
        var descriptor: Int32
        var generation: UInt64
    }

    private static let watch = Guarded<Watch?>(nil)

    /// The watch's descriptor; negative if the system has none to give.
    static var descriptor: Int32 {
        watch.withLock { watch in
            let generation = switchyard_fork_generation()
            // A forked child closed the descriptor that it inherited, and needs its own.
            if let made = watch, made.generation == generation { return made.descriptor }
            let descriptor = switchyard_watch_create()
            if descriptor >= 0 { _ = switchyard_fork_closes(descriptor) }
            watch = Watch(descriptor: descriptor, generation: generation)
            return descriptor
        }
    }

    /// Clears the watch's events.
    static func clear() {
        let descriptor = descriptor
        if descriptor >= 0 { switchyard_watch_clear(descriptor) }
    }
}
