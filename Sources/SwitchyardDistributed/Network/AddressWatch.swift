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

    private static let watch: Guarded<Watch?> = {
        let watch = Guarded<Watch?>(nil)
        // A forked child needs a watch of its own.
        watch.holdAcrossForks()
        return watch
    }()

    static func prepareForForks() { _ = watch }

    /// The watch's descriptor; negative if the system has none to give.
    static var descriptor: Int32 {
        let generation = switchyard_fork_generation()
        // A forked child closed the descriptor that it inherited.
        if let made = watch.withLock({ $0 }), made.generation == generation {
            return made.descriptor
        }
        // Made without the lock: the list of descriptors that children close is held across forks as
        // well, in an order that is not known here. Of two watches made at once, one is closed.
        let fresh = switchyard_watch_create()
        if fresh >= 0 { _ = switchyard_fork_closes(fresh) }
        let descriptor = watch.withLock { watch in
            if let made = watch, made.generation == generation { return made.descriptor }
            watch = Watch(descriptor: fresh, generation: generation)
            return fresh
        }
        if fresh >= 0, fresh != descriptor { switchyard_fork_close(fresh) }
        return descriptor
    }

    /// Clears the watch's events.
    static func clear() {
        let descriptor = descriptor
        if descriptor >= 0 { switchyard_watch_clear(descriptor) }
    }
}
