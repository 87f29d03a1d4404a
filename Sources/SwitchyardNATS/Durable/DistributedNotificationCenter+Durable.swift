// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
public import Foundation
public import SwitchyardCore
public import SwitchyardDistributed

extension DistributedNotificationCenter {
    /// Calls `handler` with every notification of a name and object, also with those that were posted while
    /// this process was away: a stream on the cluster keeps them under the name `durable`.
    ///
    /// Each is delivered until a handler has returned from it: at least once. One whose handler threw, or whose
    /// process ended before the handler did, comes again, with the same
    /// ``DurableNotification/sequence``. The first time that `durable` is used, what is posted from then on is
    /// kept; afterwards, what was posted since. Nothing is older than ``NATSOptions/streamAge``.
    ///
    /// A handler that always throws for a notification gets it again and again: look at
    /// ``DurableNotification/deliveryCount``, and return to give it up.
    ///
    /// One process at a time observes under the name. Suspending the center does not hold these up.
    ///
    /// ```swift
    /// let token = try center.observe(durable: "invoices", .orderPlaced) { order in
    ///     try write(order.message(as: OrderPlaced.self), number: order.sequence)
    /// }
    /// ```
    /// Blocks for some round trips to the server; not to be called on the thread that receives
    /// (`on: .poster`).
    ///
    /// - Parameters:
    ///   - durable: under what name the cluster keeps what was not handled.
    ///   - name: the name to observe; nil for any.
    ///   - object: what it must be about; nil for anything or nothing.
    ///   - context: where `handler` runs; on the main actor, unless told otherwise. `.poster`: on a thread of
    ///     the library.
    ///   - handler: what is called, with one after the other.
    /// - Returns: What ends the observation when its last reference goes.
    /// - Throws: ``NATSError`` when the center is not on a cluster with JetStream, or when somebody observes
    ///   under the name.
    public func observe(
        durable: String, _ name: NSNotification.Name?, of object: String? = nil,
        on context: DeliveryContext = .actor(MainActor.shared),
        using handler: @escaping @Sendable (DurableNotification) throws -> Void
    ) throws -> DurableObservation {
        try observe(durable, name, object) { center in
            center.observe(DurableDelivery.self, on: context) { try $0.message.handle(handler) }
        }
    }

    /// The same with an async `handler`: one call at a time, each when the one before has returned.
    ///
    /// ```swift
    /// let token = try center.observe(durable: "invoices", .orderPlaced) { order in
    ///     try await database.write(order.message(as: OrderPlaced.self), number: order.sequence)
    /// }
    /// ```
    /// - Parameters:
    ///   - durable: under what name the cluster keeps what was not handled.
    ///   - name: the name to observe; nil for any.
    ///   - object: what it must be about; nil for anything or nothing.
    ///   - context: where `handler` runs, unless it is isolated.
    ///   - handler: what is called. One that takes longer than ``NATSOptions/durableHandlingTime`` is
    ///     called again with the same.
    /// - Returns: What ends the observation when its last reference goes.
    /// - Throws: ``NATSError`` when the center is not on a cluster with JetStream, or when somebody observes
    ///   under the name.
    public func observe(
        durable: String, _ name: NSNotification.Name?, of object: String? = nil,
        on context: TaskContext = .pool,
        using handler: @escaping @Sendable (DurableNotification) async throws -> Void
    ) throws -> DurableObservation {
        try observe(durable, name, object) { center in
            center.observe(DurableDelivery.self, on: context) {
                try await $0.message.handleAsync(handler)
            }
        }
    }

    private func observe(
        _ durable: String, _ name: NSNotification.Name?, _ object: String?,
        _ register: (MessageCenter) -> ObservationToken
    ) throws -> DurableObservation {
        let transport = try natsTransport()
        let options = transport.options
        let consumer = try DurableConsumer(
            options, name: durable,
            interest: DistributedInterest(name: name?.rawValue, object: object),
            transport.subjects)
        let observation = DurableObservation(
            consumer, transport.subjects,
            { [weak transport] reply, text in
                guard let session = transport?.session else { return }
                natsConnection_PublishString(session.handle, reply, text)
            },
            { [weak transport] in transport?.intake?.report(problem: $0.description) }, register)
        // Before: the session may break in between.
        transport.keepDurable(observation)
        do {
            try transport.withStreams { context in
                try DurableConsumer.makeStream(
                    context, domain: options.domain, transport.subjects, age: options.streamAge)
                try observation.begin(context)
            }
        } catch {
            observation.cancel()
            throw error
        }
        return observation
    }

    /// Keeps nothing more under the name `durable`, and forgets what is kept.
    ///
    /// - Throws: ``NATSError`` when the cluster can't be asked.
    public func forget(durable: String) throws {
        let transport = try natsTransport()
        let stream = DurableConsumer.stream(of: transport.options.domain)
        try transport.withStreams { streams in
            let status = js_DeleteConsumer(streams, stream, durable, nil, nil)
            if status != NATS_OK, status != NATS_NOT_FOUND {
                throw NATSError(status, "forget \"\(durable)\"")
            }
        }
    }

    private func natsTransport() throws -> NATSTransport {
        guard let transport = engineTransport as? NATSTransport else {
            throw NATSError(
                "durable observers are kept by a NATS cluster: make the center with transport: .nats(…)"
            )
        }
        return transport
    }
}
#endif
