// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// A notification center that reaches other processes of the user.
///
/// The interface is that of Apple's
/// [DistributedNotificationCenter](https://developer.apple.com/documentation/foundation/distributednotificationcenter).
/// There is nothing to set up: processes find each other, and a post reaches the observers in all
/// of them, this one included.
///
/// ```swift
/// let center = DistributedNotificationCenter.default()
/// let token = center.observe(.converterAdded) { note in print(note.userInfo?["format"] ?? "?") }
/// center.post(name: .converterAdded, object: "text", userInfo: ["format": "RTF"])
/// ```
/// The object of a notification is a string, and `userInfo` is the dictionary of a property list;
/// typed messages are ``DistributedMessage``s. Handlers run on the main actor unless `on:` says
/// otherwise. With `on: .poster` they run where the notification arrives: on the thread that
/// receives from other processes, or on the posting thread of this one. A handler there holds up
/// everything that comes after it.
///
/// From one process to another, notifications come in the order of posting, and none is lost as
/// long as no more than ``DistributedLimits/queueBytes`` wait for a process that does not read.
/// Both processes are told of losses beyond that (``onLoss(_:)``).
///
/// A new observer is known to the other processes a moment later: ``waitUntilReady(within:)`` waits
/// for that.
public class DistributedNotificationCenter: Switchyard.NotificationCenter, @unchecked Sendable {
    // Sendable: the stored properties are constant.

    /// The key of `userInfo` under which observers of notifications find a payload that was posted
    /// as bytes.
    public static let dataKey = DistributedPayload.dataKey

    let interceptor: DistributedInterceptor
    let intake: DistributedIntake
    /// The transport; nil if other processes can't be reached.
    let transport: (any DistributedTransport)?
    /// The transport, for features that only one kind of transport has.
    package var engineTransport: (any DistributedTransport)? { transport }
    /// The domain, for people.
    private let label: String

    /// Creates a center whose notifications another transport carries.
    ///
    /// - Throws: The error that `transport` throws when it is started.
    public convenience init(transport: some DistributedTransport) throws {
        self.init(connecting: transport, label: "\(type(of: transport))")
        try transport.start(intake)
    }

    /// Creates a center that reaches only itself until `transport` is started.
    private init(connecting transport: (any DistributedTransport)?, label: String) {
        _ = ForkPreparation.isDone
        interceptor = DistributedInterceptor()
        let engine = NotificationEngine(
            interceptor: interceptor, defaults: CenterDefaults(mailbox: .main, queuesAlways: true))
        engine.interceptsPosts = true
        engine.setName("distributed center \(label)")
        intake = DistributedIntake(engine: engine)
        self.transport = transport
        self.label = label
        super.init(engine: engine)
        interceptor.connect(intake, transport)
        if let transport { intake.interest.onChange { transport.interestChanged() } }
        engine.watchInterest(intake.interest)
        engine.watchGroups(intake.groups.local)
    }

    deinit {
        transport?.close(flushing: true)
        intake.interest.onChange(nil)
        // The engine, its interceptor, and the objects that the interceptor refers to would keep
        // each other alive.
        interceptor.disconnect()
    }

    // MARK: - Observing

    /// Calls `block` with every notification of a name and object, until the observer is removed.
    ///
    /// Unlike in the superclass, the poster does not wait for `block`, because most posts come from
    /// other processes.
    ///
    /// - Parameters:
    ///   - name: The name to observe; nil for any.
    ///   - object: The object that notifications must have, a string; nil for any or none.
    ///   - queue: The queue on which `block` runs; nil for the main actor.
    ///   - block: The block to call. It is kept until the observer is removed, with its captures.
    /// - Returns: The observer, for `removeObserver`. Dropping it ends nothing.
    override public func addObserver(
        forName name: NSNotification.Name?, object: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        addObserver(
            forName: name, object: object, on: Self.mailbox(of: queue), options: .standard,
            using: block)
    }

    /// Returns the mailbox for blocks that are to run on `queue`; the main actor's for nil.
    static func mailbox(of queue: OperationQueue?) -> SharedMailbox? {
        queue.map { DeliveryContext.operationQueue($0) }?.mailbox ?? .main
    }

    // MARK: - The center of all processes

    /// The center of the default domain, which all programs use that don't name another; the same
    /// as `default()`.
    override public class var `default`: DistributedNotificationCenter {
        DefaultDistributedCenter.current
    }

    /// Returns the center for a type of notifications; there is one type, as on Apple's systems.
    public class func forType(_ type: CenterType) -> DistributedNotificationCenter {
        DefaultDistributedCenter.current
    }

    /// A type of distributed center.
    public struct CenterType: RawRepresentable, Hashable, Sendable {
        /// The type's name.
        public let rawValue: String

        /// Creates a type of this name.
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

    /// Whether the center is suspended. While it is, it keeps or drops notifications as each
    /// observer's ``SuspensionBehavior`` says; setting this to false delivers those that are kept.
    /// All of them, also if a handler of one suspends the center again. If many more come meanwhile,
    /// another thread goes on with these. A post that waits for its handlers (`postAndWait`) does
    /// not wait for a delivery that is kept.
    public var suspended: Bool {
        get { intake.suspension.wasAskedFor }
        set {
            let suspension = intake.suspension
            intake.groups.local.set(isSuspended: newValue) { suspension.set(newValue) }
            if !newValue { suspension.resume() }
        }
    }
}
