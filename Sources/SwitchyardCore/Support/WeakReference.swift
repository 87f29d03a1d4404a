// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A reference that does not keep its object, for a list of such.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    private(set) weak var object: Object?

    init(_ object: Object) { self.object = object }
}
