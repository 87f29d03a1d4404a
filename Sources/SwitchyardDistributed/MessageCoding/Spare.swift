// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// An object that is kept for whoever needs one next.
final class Spare<Object: AnyObject>: Sendable {
    // The address of the object, retained; zero without one. Whoever takes it out is alone with it.
    private let kept = Atomic<UInt>(0)

    deinit { _ = take() }

    /// Takes the object out; nil if another has it, or none was kept.
    func take() -> Object? {
        Self.object(at: kept.exchange(0, ordering: .acquiringAndReleasing))?.takeRetainedValue()
    }

    /// Keeps an object that nobody else has. The caller gives up its own reference, so that the
    /// next taker has the only one (`isKnownUniquelyReferenced` tells).
    func keep(_ object: consuming Object) {
        let new = Self.address(retaining: object)
        Self.object(at: kept.exchange(new, ordering: .acquiringAndReleasing))?.release()
    }

    private static func address(retaining object: consuming Object) -> UInt {
        UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
    }

    private static func object(at address: UInt) -> Unmanaged<Object>? {
        UnsafeRawPointer(bitPattern: address).map { .fromOpaque($0) }
    }
}
