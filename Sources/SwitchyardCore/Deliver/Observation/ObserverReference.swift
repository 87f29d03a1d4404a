// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// An observer object, held weakly.
///
/// Works as a weak reference and is cheaper to read. A weak reference goes through a table beside
/// the object, at three times the cost of the one attempt to retain that is made here. In exchange,
/// the memory of an observer that died, though nothing it held, stays until its registration is
/// found to have ended: the registry keeps it anyway, so that no new object gets its address.
package struct ObserverReference<Observer: AnyObject>: @unchecked Sendable {
    // Sendable: constant, and given to whoever may use the observer itself.

    #if canImport(ObjectiveC)
    // Not all objects on Apple's systems are Swift's.
    private weak let observer: Observer?

    package init(_ observer: Observer) { self.observer = observer }

    /// The observer, unless its deinit has begun.
    @inline(__always)
    package var object: Observer? { observer }

    /// Whether the observer's deinit has begun.
    package var isGone: Bool { observer == nil }
    #else
    /// Keeps the memory.
    private unowned let observer: Observer
    private let address: UnsafeRawPointer

    package init(_ observer: Observer) {
        self.observer = observer
        address = UnsafeRawPointer(Unmanaged.passUnretained(observer).toOpaque())
    }

    /// The observer, unless its deinit has begun.
    @inline(__always)
    package var object: Observer? {
        switchyard_try_retain(address).map { Unmanaged.fromOpaque($0).takeRetainedValue() }
    }

    /// Whether the observer's deinit has begun.
    package var isGone: Bool { switchyard_is_deallocating(address) }
    #endif
}
