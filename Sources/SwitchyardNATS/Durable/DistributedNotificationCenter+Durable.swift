// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
public import Foundation
internal import Switchyard
public import SwitchyardCore
public import SwitchyardDistributed

extension DistributedNotificationCenter {
    /// Calls `handler` with every notification of a name and object, including those posted while
    /// this process was away. A stream in the cluster keeps them under the name `durable`.
    ///
    /// Each notification is delivered until a handler has returned from it: at least once, and in
    /// the order in which each process posted. If the handler throws, or its process ends first,
    /// the notification is delivered again with the same ``DurableNotification/sequence``. The
    /// first use of `durable` keeps the notifications posted from then on; later uses also get
    /// those posted in between. No notification is kept for longer than ``NATSOptions/streamAge``.
    ///
    /// A notification whose handler threw is put aside, and does not hold up others. It comes again
    /// after a second, then after pauses that double up to five minutes; notifications posted after
    /// it come in between. After ``NATSOptions/durableTries`` refusals it is given up and kept
    /// among the refused notifications (`refused(durable:)`), from where it can be posted again. If
    /// the order matters more, the handler can wait and try again itself before it returns: it may
    /// take as long as it needs.
    ///
    /// A bound of the handler's context does not apply: no notification is dropped, and the server
    /// limits the number of notifications that wait in the process.
    ///
    /// When the handler's context ends, because its thread or actor has ended, the observation ends
    /// within a second and gives up its name. The center's problem hook is told. Notifications that
    /// were not handled are kept for the next observation of the name.
    ///
    /// Only one process at a time can observe under a name; the server ensures that. Suspending the
    /// center does not hold up durable notifications. If the stream is deleted, or the server loses
    /// its storage, the stream is created again, and the center's problem hook is told of the gap.
    ///
    /// ```swift
    /// let token = try center.observe(durable: "invoices", .orderPlaced) { order in
    ///     try write(order.message(as: OrderPlaced.self), number: order.sequence)
    /// }
    /// ```
    /// The call blocks for some round trips to the server. It must not be made on the thread that
    /// receives notifications (`on: .poster`).
    ///
    /// - Parameters:
    ///   - durable: the name under which the cluster keeps notifications that were not handled.
    ///   - name: the name to observe; nil for any.
    ///   - object: the object of the notifications; nil for any object or none.
    ///   - context: the context on which `handler` runs; by default the center's, which is the main
    ///     actor. With `.poster`, a thread of the observation's own.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: the code to call, with one notification at a time.
    /// - Returns: The observation, which ends when its last reference is released.
    /// - Throws: ``NATSError`` when the center is not on a cluster with JetStream, when another
    ///   process observes under the name, or when something else was observed under it before. A
    ///   first use of `durable` that throws keeps no notifications.
    public func observe(
        durable: String, _ name: NSNotification.Name?, of object: String? = nil,
        on context: DeliveryContext = .standard,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (DurableNotification) throws -> Void
    ) throws -> DurableObservation {
        // Several threads would call the handler with `.poster`: those that post to the
        // observation's center.
        let context: DeliveryContext =
            engine.mailbox(of: context).map { .mailbox($0) }
            ?? .thread(DeliveryThread(name: "sw-nats-handler"))
        let origin = RegistrationSite(fileID, line)
        return try observe(durable, name, object, origin) { center in
            center.observe(
                DurableTurn.self, on: context, options: DurableTurn.options, fileID: fileID,
                line: line
            ) {
                try $0.handle(handler)
            }
        }
    }

    /// Observes durably with an async `handler`. Each call begins when the one before has returned.
    ///
    /// ```swift
    /// let token = try center.observe(durable: "invoices", .orderPlaced) { order in
    ///     try await database.write(order.message(as: OrderPlaced.self), number: order.sequence)
    /// }
    /// ```
    /// - Parameters:
    ///   - durable: the name under which the cluster keeps notifications that were not handled.
    ///   - name: the name to observe; nil for any.
    ///   - object: the object of the notifications; nil for any object or none.
    ///   - context: the context on which `handler` runs, unless it is isolated.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: the code to call, with one notification at a time. It may take as long as it
    ///     needs.
    /// - Returns: The observation, which ends when its last reference is released.
    /// - Throws: ``NATSError`` when the center is not on a cluster with JetStream, when another
    ///   process observes under the name, or when something else was observed under it before. A
    ///   first use of `durable` that throws keeps no notifications.
    public func observe(
        durable: String, _ name: NSNotification.Name?, of object: String? = nil,
        on context: TaskContext = .pool,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (DurableNotification) async throws -> Void
    ) throws -> DurableObservation {
        try observe(durable, name, object, RegistrationSite(fileID, line)) { center in
            center.observe(
                DurableTurn.self, on: context, options: DurableTurn.options, fileID: fileID,
                line: line
            ) {
                try await $0.handleAsync(handler)
            }
        }
    }

    private func observe(
        _ durable: String, _ name: NSNotification.Name?, _ object: String?,
        _ origin: RegistrationSite, _ register: (MessageCenter) -> ObservationToken
    ) throws -> DurableObservation {
        let transport = try natsTransport()
        let interest = DistributedInterest(name: name?.rawValue, object: object)
        let consumer = try DurableConsumer(
            transport.options, name: durable, interest: interest, transport.subjects)
        let report: @Sendable (DeliveryProblem) -> Void = { [weak transport] problem in
            transport?.intake?.report(
                Self.problem(problem, of: durable, observing: interest, origin))
        }
        let observation = DurableObservation(DurableDesk(consumer, transport), report, register)
        // Registered before the observation begins, because the session may break in between.
        transport.register(observation)
        do {
            try transport.withSession { session in
                _ = try observation.begin(transport, session)
                try observation.checkPermissions(transport, session)
                if !transport.knowsStream { transport.findStream(session) }
            }
            try transport.watch(observation)
        } catch {
            // Before it is cancelled: with its subscriptions, it gives up the name.
            Self.deleteMade(of: observation, transport)
            observation.cancel()
            throw error
        }
        // Processes that post hear of the stream, and have their posts acknowledged from now on.
        transport.greetPeers()
        return observation
    }

    /// Returns a problem of a durable observer's turns as one of its notifications, which turns
    /// stand for: the text and the topic of the turns' own problem would name their type.
    private static func problem(
        _ problem: DeliveryProblem, of durable: String, observing interest: DistributedInterest,
        _ origin: RegistrationSite
    ) -> DeliveryProblem {
        let thrown = problem.kind == .handlerThrew ? problem.error : nil
        let text = thrown.map {
            "the handler of the durable observer \"\(durable)\", registered at \(origin) for "
                + "\(interest), threw: \($0)"
        }
        return DeliveryProblem(
            problem.kind, text ?? problem.description, error: problem.error, count: problem.count,
            topic: interest.name.map { "\"\($0)\"" }, context: problem.context, origin: origin)
    }

    /// Deletes the consumers of an observation that did not come about, and reports it if that
    /// fails.
    private static func deleteMade(
        of observation: DurableObservation, _ transport: NATSTransport
    ) {
        guard observation.hasMade else { return }
        do {
            try transport.withSession { try observation.deleteMade(transport, $0) }
        } catch {
            let name = observation.consumer.name
            transport.intake?.report(
                problem:
                    "the durable observer \"\(name)\" could not begin, and the server may keep "
                    + "notifications for it all the same: observe again, or forget them with "
                    + "forget(durable: \"\(name)\"). They could not be forgotten now: \(error)")
        }
    }

    /// Ends keeping notifications under the name `durable`, and deletes those that are kept or were
    /// refused.
    ///
    /// The call fails and deletes nothing while a process observes under the name: end that
    /// observer first.
    ///
    /// - Throws: ``NATSError`` when a process observes under the name, or the cluster can't be
    ///   asked.
    public func forget(durable: String) throws {
        try DurableConsumer.check(name: durable)
        let transport = try natsTransport()
        let domain = transport.options.domain
        try transport.withSession { session in
            try DurableConsumer.checkUnused(durable, domain, transport, session)
            try DurableConsumer.endPlaceholder(of: durable, domain, transport, session)
            for stream in DurableStream.allCases {
                try Self.unlessGone {
                    try transport.jetStream.ask(
                        "CONSUMER.DELETE.\(stream.name(domain)).\(durable)", on: session)
                }
            }
            let subjects = [
                DurableStream.waiting(domain, durable), DurableStream.givenUp(domain, durable),
            ]
            for subject in subjects {
                try Self.unlessGone {
                    try transport.jetStream.ask(
                        "STREAM.PURGE.\(DurableStream.refused.name(domain))", ["filter": subject],
                        on: session)
                }
            }
        }
    }

    /// Calls `body`, and ignores its error if the stream or consumer does not exist.
    static func unlessGone(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as JetStreamRefusal
            where [JetStreamRefusal.noConsumer, JetStreamRefusal.noStream].contains(error.code)
        {
            return
        }
    }

    func natsTransport() throws -> NATSTransport {
        guard let transport = engineTransport as? NATSTransport else {
            throw NATSError(
                "durable observers are kept by a NATS cluster: make the center with transport: .nats(…)"
            )
        }
        return transport
    }
}
#endif
