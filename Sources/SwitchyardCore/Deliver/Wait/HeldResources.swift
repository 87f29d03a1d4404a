// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

extension WaitGraph {
    /// A function of another module that returns resources which stand still while the caller
    /// waits, such as the operation queue or the GLib loop that it runs on.
    package typealias Locator = @Sendable () -> [Resource]

    private static let locators = Guarded<[LocatorBox]>([])

    /// Has `locator` asked whenever a wait begins.
    package static func add(_ locator: @escaping Locator) {
        locators.withLock { $0.append(LocatorBox(locator)) }
    }

    /// A locator in a class, because a closure read from under a lock is wrapped again each time.
    final class LocatorBox: Sendable {
        let resources: Locator
        init(_ resources: @escaping Locator) { self.resources = resources }
    }

    /// The resources that stand still while the calling thread waits.
    package static var heldByThisThread: [Resource] {
        var resources = [
            Resource(.thread(switchyard_thread_token()), "thread \(ThreadName.current)")
        ]
        resources += DrainFrame.mailboxes.map(\.ownResource)
        for address in HazardRecord.callersWords {
            resources.append(
                Resource(.handler(address), "a handler on thread \(ThreadName.current)"))
        }
        for locator in locators.withLock({ $0 }) { resources += locator.resources() }
        return resources + heldByThisTask
    }

    /// The resources that stand still while the calling task waits. A waiting task holds no thread.
    /// A handler that only started the task is not one of them: it may have returned.
    static var heldByThisTask: [Resource] {
        HandlerTask.entered.filter(\.isCallers).flatMap(\.resources)
    }
}

extension SharedMailbox {
    fileprivate var ownResource: WaitGraph.Resource {
        WaitGraph.Resource(.mailbox(ObjectIdentifier(self)), label)
    }

    /// The resources that must be free for this mailbox to deliver.
    package var waitResources: [WaitGraph.Resource] {
        [ownResource] + ((target as? any WaitableTarget)?.waitResources ?? [])
    }
}

extension Observation {
    private static let lastCall = Atomic<UInt64>(0)

    /// A number for a call of a handler that may be called beside it.
    static var nextCall: UInt64 { lastCall.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The resources that must be free for a delivery to be made.
    ///
    /// - Parameter call: the number of the call of the handler; 0 if the handler is not called
    ///   beside itself.
    func resources(ofCall call: UInt64) -> [WaitGraph.Resource] {
        let own = call == 0 ? waitResource : resource(ofCall: call)
        return [own] + (mailbox?.waitResources ?? [])
    }

    /// One call of the handler as a resource of the wait graph.
    func resource(ofCall number: UInt64) -> WaitGraph.Resource {
        WaitGraph.Resource(.call(number), waitResource.label)
    }

    /// The observation's handler as a resource of the wait graph.
    var waitResource: WaitGraph.Resource {
        WaitGraph.Resource(
            .handler(address), "the handler registered at \(origin) for \(owner.topic)")
    }
}
