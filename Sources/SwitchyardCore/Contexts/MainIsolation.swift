// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Main-actor code as handlers of the main mailbox, which is drained on the main actor only.
package enum MainIsolation {
    package static func body<Payload>(
        _ body: @escaping @MainActor @Sendable (Payload) throws -> Void
    ) -> (Payload) throws -> Void {
        { payload in
            // The payload does not leave the thread: only the compiler's view of that changes.
            nonisolated(unsafe) let payload = payload
            try MainActor.assumeIsolated { try body(payload) }
        }
    }

    package static func method<Observer, Payload>(
        _ method: @escaping (Observer) -> @MainActor (Payload) throws -> Void
    ) -> (Observer) -> (Payload) throws -> Void {
        { observer in
            let bound = method(observer)
            return { payload in
                // The payload does not leave the thread, as above.
                nonisolated(unsafe) let payload = payload
                try MainActor.assumeIsolated { try bound(payload) }
            }
        }
    }

    package static func method<Observer>(
        _ method: @escaping (Observer) -> @MainActor () throws -> Void
    ) -> (Observer) -> () throws -> Void {
        { observer in
            let bound = method(observer)
            return { try MainActor.assumeIsolated { try bound() } }
        }
    }
}
