// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

extension WaitGraph {
    /// Tells what else than threads, mailboxes and handlers stands still while the caller waits.
    package typealias Locator = @Sendable () -> [Place]

    private static let locators = Guarded<[LocatorBox]>([])

    /// Has `locator` asked whenever a wait begins.
    package static func add(_ locator: @escaping Locator) {
        locators.withLock { $0.append(LocatorBox(locator)) }
    }

    /// As ``Callback``, with a result.
    final class LocatorBox: Sendable {
        let places: Locator
        init(_ places: @escaping Locator) { self.places = places }
    }

    /// The places that stand still while the calling thread waits.
    package static var heldByThisThread: [Place] {
        var places = [Place(.thread(switchyard_thread_token()), "thread \(ThreadName.current)")]
        places += DrainFrame.mailboxes.map(\.ownPlace)
        for address in ThreadRecord.callersWords {
            places.append(Place(.handler(address), "a handler on thread \(ThreadName.current)"))
        }
        for locator in locators.withLock({ $0 }) { places += locator.places() }
        return places + heldByThisTask
    }

    /// The places that stand still while the calling task waits. A waiting task holds no thread. A handler
    /// that only started the task is not one of them: it may have returned.
    static var heldByThisTask: [Place] {
        HandlerTask.entered.filter(\.isCallers).map(\.observation.waitPlace)
    }
}

extension SharedMailbox {
    fileprivate var ownPlace: WaitGraph.Place {
        WaitGraph.Place(.mailbox(ObjectIdentifier(self)), label)
    }

    /// The places that must be free for this mailbox to deliver.
    package var waitPlaces: [WaitGraph.Place] {
        [ownPlace] + ((target as? any PlacedTarget)?.waitPlaces ?? [])
    }
}

extension Observation {
    /// Its handler, as something to wait for.
    var waitPlace: WaitGraph.Place {
        WaitGraph.Place(
            .handler(address), "the handler registered at \(origin) for \(owner.topic)")
    }
}
