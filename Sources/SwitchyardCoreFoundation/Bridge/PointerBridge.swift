// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CoreFoundation
internal import Foundation

// CoreFoundation's strings and dictionaries are Foundation's classes in memory, on Linux as on
// Apple's systems, so that a pointer to one is a pointer to the other.

/// Returns the string at `pointer`, a CFString; nil for a null pointer.
func string(at pointer: UnsafeRawPointer?) -> String? {
    // The bridge does not use `String.init`, which takes every string for one that Foundation made.
    pointer.map {
        String._unconditionallyBridgeFromObjectiveC(
            Unmanaged<NSString>.fromOpaque($0).takeUnretainedValue())
    }
}

/// Returns the dictionary at `pointer`, a CFDictionary whose keys and values are objects; nil for a
/// null pointer.
func dictionary(at pointer: UnsafeRawPointer?) -> [AnyHashable: Any]? {
    pointer.flatMap {
        Unmanaged<NSDictionary>.fromOpaque($0).takeUnretainedValue() as? [AnyHashable: Any]
    }
}

/// Returns a value of a notification as the object that C code gets for it: an instance itself, a
/// `String` as a CFString, and so on.
func bridgedObject(_ value: Any) -> AnyObject {
    if type(of: value) is AnyClass { return value as AnyObject }
    // An array of Foundation's makes objects of its elements. Foundation itself hands them out as
    // values again, CoreFoundation as they are.
    let array = NSArray(array: [value])
    let object = withExtendedLifetime(array) {
        // Unsafe, because CoreFoundation's array is an untyped one: Foundation's is of the same
        // class, and holds nothing but objects.
        CFArrayGetValueAtIndex(unsafeBitCast(array, to: CFArray.self), 0).map {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
        }
    }
    return object ?? array
}
#endif
