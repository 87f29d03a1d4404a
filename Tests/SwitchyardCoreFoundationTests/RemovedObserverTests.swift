// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardCoreFoundation

/// Posts of other threads between the removal of a registration and the end of its observation.
@Suite("Removed observers", .timeLimit(.minutes(5)))
struct RemovedObserverTests {
    /// A center whose observations, which are the local center's, end a moment after their removal.
    private final class SlowCenter: CoreCenter, @unchecked Sendable {
        // Sendable: constant.
        let posted: String
        let removesWhileAdding: Bool

        init(posting name: String, removingWhileAdding: Bool = false) {
            posted = name
            removesWhileAdding = removingWhileAdding
        }

        /// A token that posts when it ends, while the observation still lasts.
        final class Token: Sendable {
            let observation: any Sendable
            let name: String

            init(_ observation: any Sendable, _ name: String) {
                self.observation = observation
                self.name = name
            }

            deinit { postLocally(name) }
        }

        override func observe(_ registration: Registration) -> (any Sendable)? {
            let observation = CoreCenter.local.observe(registration)
            if removesWhileAdding, let observer = registration.request.observer {
                remove(observer)
                postLocally(posted)
            }
            return observation.map { Token($0, posted) }
        }

        override func identity(of object: UnsafeRawPointer?) -> Registration.ObjectIdentity { .any }
    }

    private let calls = Calls()

    @Test func `An observer is not called while its observation ends`() {
        let center = SlowCenter(posting: "org.example.ending")
        calls.register(on: center, "org.example.ending")
        postLocally("org.example.ending")
        #expect(calls.count == 1)
        center.remove(calls.observer)
        #expect(calls.count == 1)
    }

    @Test func `An observer that is removed while it is added is not called`() {
        let center = SlowCenter(posting: "org.example.adding", removingWhileAdding: true)
        calls.register(on: center, "org.example.adding")
        #expect(calls.count == 0)
    }

    @Test func `No post that begins after a removal calls the observer`() async {
        let name = "org.example.rounds"
        for _ in 0..<20 {
            // The registrations are so many that their observations take a while to end.
            for _ in 0..<1_000 { calls.register(on: .local, name) }
            calls.arrived.store(0, ordering: .releasing)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask { [calls] in
                        await onOwnThread {
                            calls.arriveTogether(2)
                            // The later of the two threads finds nothing to remove, and returns at
                            // once.
                            CoreCenter.local.remove(calls.observer)
                            postLocally(name)
                        }
                    }
                }
            }
        }
        #expect(calls.count == 0)
    }
}

/// An observer that counts its calls.
private final class Calls: Sendable {
    private let counter = Atomic<Int>(0)
    /// The number of threads that have come to the present round.
    let arrived = Atomic<Int>(0)

    /// Waits for `count` threads without sleeping, so that all go on at the same time.
    func arriveTogether(_ count: Int) {
        arrived.wrappingAdd(1, ordering: .acquiringAndReleasing)
        while arrived.load(ordering: .acquiring) < count { sched_yield() }
    }

    var count: Int { counter.load(ordering: .acquiring) }

    var observer: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    func register(on center: CoreCenter, _ name: String) {
        center.add(
            Registration.Request(
                callback: { _, observer, _, _, _ in
                    guard let observer else { return }
                    Unmanaged<Calls>.fromOpaque(observer).takeUnretainedValue()
                        .counter.wrappingAdd(1, ordering: .acquiringAndReleasing)
                }, observer: observer, name: name, object: nil, suspensionBehavior: 0))
    }
}

private func postLocally(_ name: String) {
    let string = cfString(name)
    CoreCenter.local.post(pointer(string), nil, nil, [])
    withExtendedLifetime(string) {}
}
