// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
@_spi(Engine) internal import SwitchyardCore

/// A center with Apple's method `default()` beside the property `default`. A class can't declare
/// both, so the method is declared here.
public protocol DefaultDistributedCenterProviding {}

extension DefaultDistributedCenterProviding {
    /// The center of the default domain, which all programs use that don't name another.
    ///
    /// If other processes can't be reached, the problem is reported once, and the center is for
    /// this process alone. A forked child gets a center of its own.
    public static func `default`() -> DistributedNotificationCenter {
        DefaultDistributedCenter.current
    }
}

extension DistributedNotificationCenter: DefaultDistributedCenterProviding {}

/// The center of the default domain: one for each process, also for a forked child.
enum DefaultDistributedCenter {
    private struct Made: Sendable {
        let center: DistributedNotificationCenter
        let generation: UInt64
    }

    private static let made: Guarded<Made?> = {
        let made = Guarded<Made?>(nil)
        // A forked child asks for its own.
        made.holdAcrossForks()
        return made
    }()

    static var current: DistributedNotificationCenter {
        let generation = switchyard_fork_generation()
        if let made = made.withLock({ $0 }), made.generation == generation { return made.center }
        // Made without the lock, because a hook may be told of a problem. Of two centers made at
        // once, one is released.
        let fresh = Made(
            center: DistributedNotificationCenter.makeDefault(), generation: generation)
        // The parent's center is released outside the lock: what its handlers capture is the
        // user's.
        let (center, _) = made.withLock { made -> (DistributedNotificationCenter, Made?) in
            if let made, made.generation == generation { return (made.center, nil) }
            let old = made
            made = fresh
            return (fresh.center, old)
        }
        return center
    }
}
