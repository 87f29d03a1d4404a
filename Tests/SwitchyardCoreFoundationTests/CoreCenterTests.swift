// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Testing

@testable import SwitchyardCoreFoundation

/// The registrations of a center, as C functions add and remove them.
@Suite("The registrations of a center")
struct CoreCenterTests {
    /// A center whose callbacks run before a registration's call has returned.
    private final class HastyCenter: CoreCenter, @unchecked Sendable {
        // Sendable: `last` is used by one thread alone, the test's.
        weak var last: Token?
        var removes = true
        var refuses = false

        final class Token: Sendable {}

        override func observe(_ registration: Registration) -> (any Sendable)? {
            if refuses { return nil }
            if removes, let observer = registration.request.observer { remove(observer) }
            let token = Token()
            last = token
            return token
        }

        override func identity(of object: UnsafeRawPointer?) -> Registration.ObjectIdentity { .any }
    }

    private let center = HastyCenter()
    private let observer = UnsafeRawPointer(bitPattern: 0x1000)

    private func add(_ name: String? = "added") {
        center.add(
            Registration.Request(
                callback: { _, _, _, _, _ in }, observer: observer, name: name, object: nil,
                suspensionBehavior: 0))
    }

    @Test func `An observer that is removed while it is added hears nothing more`() {
        add()
        #expect(center.last == nil)
    }

    @Test func `A registration lasts until its observer is removed`() throws {
        center.removes = false
        add()
        #expect(center.last != nil)
        center.refuses = true
        add()
        #expect(center.last != nil)
        center.remove(try #require(observer))
        #expect(center.last == nil)
    }

    @Test func `A removal by name leaves the registrations for other names and for all`() throws {
        center.removes = false
        let observer = try #require(observer)
        let lists: [[String?]] = [["first", "last"], [nil, "last"], ["first", nil]]
        for names in lists {
            for name in names { add(name) }
            center.remove(observer, name: "first")
            #expect(center.last != nil)
            center.remove(observer, name: "last")
            #expect((center.last != nil) == (names.last == .some(nil)))
            center.remove(observer)
            #expect(center.last == nil)
        }
    }
}
