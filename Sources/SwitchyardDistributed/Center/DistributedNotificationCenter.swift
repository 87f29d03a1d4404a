// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// A notification center that reaches other processes of the user.
///
/// The interface is that of Apple's
/// [DistributedNotificationCenter](https://developer.apple.com/documentation/foundation/distributednotificationcenter).
/// There is nothing to set up: processes find each other, and a post reaches the observers in all of
/// them, this one included.
///
/// ```swift
/// let center = DistributedNotificationCenter.default()
/// let token = center.observe(.converterAdded) { note in print(note.userInfo?["format"] ?? "?") }
/// center.post(name: .converterAdded, object: "text", userInfo: ["format": "RTF"])
/// ```
/// The object is a string, `userInfo` a property list's dictionary; typed messages are
/// ``DistributedMessage``s. Handlers run on the main actor unless `on:` says otherwise; with
/// `on: .poster` they run where the notification arrives: on the thread that receives from other
/// processes, or on the posting thread of this one. A handler there holds up all that comes after it.
///
/// From one process to another, notifications come in the order of posting, and none is lost as long
/// as no more than ``DistributedLimits/queueBytes`` wait for a process that does not read. What is lost
/// beyond is told to both (``onLoss(_:)``).
///
/// A new observer is known to the other processes a moment later: ``ready(within:)`` waits
/// for that.
open class DistributedNotificationCenter: Switchyard.NotificationCenter, @unchecked Sendable {
    // Sendable: the stored properties are constant.

    /// Under what key of `userInfo` observers of notifications find bytes that were posted as such.
    public static let dataKey = "org.switchyard.data"

    let detour: DistributedDetour
    let intake: DistributedIntake
    /// Nil when other processes can't be reached.
    let transport: (any DistributedTransport)?
    /// The same, for what only one kind of transport can do.
    package var engineTransport: (any DistributedTransport)? { transport }
    /// Whether something stands between the processes, so that nobody here knows what has reached whom.
    package var isOnServer: Bool { !(transport is Mesh) }
    /// The domain, for people.
    private let label: String

    /// A center of a domain: centers of one domain hear each other, and nothing of others.
    ///
    /// - Parameters:
    ///   - domain: the domain's name, such as `org.example.converters`.
    ///   - limits: how much may wait for a process that does not read.
    /// - Throws: ``MeshError`` when other processes can't be reached; it says what to do.
    public convenience init(
        domain: String, limits: DistributedLimits = DistributedLimits()
    ) throws(MeshError) {
        try self.init(
            domain: domain, network: UnixNetwork(domain: domain), limits: limits)
    }

    /// A center on a network of the caller's: for tests.
    package convenience init(
        domain: String, network: any MeshNetwork, limits: DistributedLimits = DistributedLimits(),
        processName: String? = nil
    ) throws(MeshError) {
        let mesh = try Mesh(
            domain: domain, network: network, limits: limits, processName: processName)
        do {
            try self.init(transport: mesh)
        } catch let error as MeshError {
            throw error
        } catch {
            throw MeshError("\(error)")
        }
    }

    /// A center whose notifications another transport carries.
    ///
    /// - Throws: what `transport` throws at its start.
    public convenience init(transport: some DistributedTransport) throws {
        self.init(connecting: transport, label: "\(type(of: transport))")
        try transport.start(intake)
    }

    /// A center that reaches nobody but itself, unless `transport` is started.
    private init(connecting transport: (any DistributedTransport)?, label: String) {
        detour = DistributedDetour()
        let engine = NotificationEngine(
            detour: detour, habits: CenterHabits(mailbox: .main, queuesAlways: true))
        engine.isForwarding = true
        intake = DistributedIntake(engine: engine)
        self.transport = transport
        self.label = label
        super.init(engine: engine)
        detour.connect(intake, transport)
        intake.interest.connect(transport)
        engine.watchInterest(intake.interest)
    }

    deinit {
        // What was posted still goes out, if there is a mesh to wait for that.
        if let mesh = transport as? Mesh { mesh.stopWhenFlushed() } else { transport?.stop() }
        intake.interest.connect(nil)
        // They keep each other otherwise: the engine, its detour, and what the detour leads to.
        detour.disconnect()
    }

    // MARK: - Observing

    /// Calls `block` with every notification of a name and object, until the observer is removed.
    ///
    /// Unlike in the superclass, nobody waits for `block`: most posts come from other processes.
    ///
    /// - Parameters:
    ///   - name: the name to observe; nil for any.
    ///   - object: what it must be about, a string; nil for anything or nothing.
    ///   - queue: where `block` runs; nil: on the main actor.
    ///   - block: what is called. It is kept until the observer is removed, with what it captures.
    /// - Returns: What to give to `removeObserver`. Dropping it ends nothing.
    override open func addObserver(
        forName name: NSNotification.Name?, object: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        addObserver(
            forName: name, object: object, on: Self.mailbox(of: queue), options: .standard,
            using: block)
    }

    /// Where blocks run that were given a queue.
    static func mailbox(of queue: OperationQueue?) -> DeliveryMailbox? {
        queue.map { DeliveryContext.operationQueue($0) }?.mailbox ?? .main
    }

    // MARK: - The center of all processes

    /// The center of the default domain, in which all programs are that do not name another.
    ///
    /// Where other processes can't be reached, the problem is reported once, and the center is one
    /// for this process alone. A forked child gets a center of its own.
    public class func `default`() -> DistributedNotificationCenter {
        DefaultDistributedCenter.current
    }

    /// The center for a type of notifications; as on Apple's systems, there is one.
    public class func forType(_ type: CenterType) -> DistributedNotificationCenter { `default`() }

    /// A type of distributed center.
    public struct CenterType: RawRepresentable, Hashable, Sendable {
        /// The type's name.
        public let rawValue: String

        /// A type of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        // Apple's name.
        // swift-format-ignore: DontRepeatTypeInStaticProperties
        /// The center of this machine.
        public static let localNotificationCenterType = CenterType(
            rawValue: "NSLocalNotificationCenterType")
    }

    static func makeDefault() -> DistributedNotificationCenter {
        do {
            return try DistributedNotificationCenter(domain: "default")
        } catch {
            let center = DistributedNotificationCenter(connecting: nil, label: "unconnected")
            center.engine.report(DeliveryProblem(.transport, "\(error)", error: error))
            return center
        }
    }

    // MARK: - Suspending

    /// Whether notifications are kept, or dropped, as each observer's
    /// ``SuspensionBehavior`` says. Turning it off delivers what is held.
    open var suspended: Bool {
        get { intake.suspension.wasAskedFor }
        set { if newValue { intake.suspension.suspend() } else { intake.suspension.resume() } }
    }
}
