// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CoreFoundation
internal import Foundation

/// An object of CoreFoundation that stands for a center in C. It is never released.
struct CenterObject: Hashable, @unchecked Sendable {
    // Sendable: the object has no contents; its address is constant.
    let pointer: UnsafeMutableRawPointer

    /// Creates an object of the type `CFNotificationCenter`.
    init() {
        guard
            let object = _CFRuntimeCreateInstance(
                kCFAllocatorSystemDefault, CenterObject.type, 0, nil)
        else { preconditionFailure("CoreFoundation made no object: is there no memory?") }
        pointer = object.toOpaque()
    }

    /// The type's number. CoreFoundation's table of types has no lock; types of other libraries are
    /// registered when these are loaded.
    static let type: CFTypeID = {
        // The table keeps the pointers.
        let description = UnsafeMutablePointer<CFRuntimeClass>.allocate(capacity: 1)
        description.initialize(to: CFRuntimeClass())
        description.pointee.className = UnsafePointer(strdup("CFNotificationCenter"))
        return _CFRuntimeRegisterClass(description)
    }()
}
#endif
