// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore
internal import Synchronization

/// Dispatches notifications to registered observers, each on the thread it chose.
///
/// The interface is that of Apple's
/// [NotificationCenter](https://developer.apple.com/documentation/foundation/notificationcenter)
/// and of
/// [SF-0011](https://github.com/swiftlang/swift-foundation/blob/main/Proposals/0011-concurrency-safe-notifications.md);
/// Switchyard's own functions are called `observe`, `stream` and `postAndReport`.
///
/// Any thread may post, add and remove. A post reaches its observers in the order of registration.
/// No lock is held while they run, so they may post, add and remove as well.
///
/// Subclasses may override the `open` members. In a subclass, every post of a notification, by name
/// or as a whole, goes through ``post(_:)-(Notification)``, so that overriding this one sees them
/// all. Messages don't, not even those that observers of a name hear as well (``AsyncMessage``,
/// ``MainActorMessage``). Neither do posts that wait, report or retain their value.
open class NotificationCenter: MessageObserving, @unchecked Sendable {
    // Sendable: the stored properties are constant. A subclass answers for its own.

    /// The engine that delivers; not for programs.
    public let _engine: _NotificationEngine
    /// Whether named posts must go through `post(_:)`, because a subclass may override it.
    let isSubclass: Bool

    /// Creates a center. It hears nothing that is posted on other centers.
    public init() {
        _ = OperationQueueResources.isKnown
        _engine = NotificationEngine(interceptor: FoundationInterceptor.shared)
        isSubclass = type(of: self) != NotificationCenter.self
    }

    /// Creates a center whose observers hear on `context`, unless their registration names another.
    ///
    /// ```swift
    /// let center = NotificationCenter(delivering: .thread(worker))
    /// center.observe(.converterAdded, with: controller, Controller.added)     // on the worker
    /// center.observe(.converterAdded, on: .poster) { _ in … }                 // where it is posted
    /// ```
    /// The context replaces the posting thread for closures, for the methods of observers, and for
    /// blocks without a queue. Methods of the main actor run there all the same (in the Swift 5
    /// mode, write `on: .main` where you register one), async handlers on the task pool, and a
    /// sequence yields to the task that iterates. The center keeps a ``DeliveryThread`` as a
    /// registration does.
    public init(delivering context: DeliveryContext) {
        _ = OperationQueueResources.isKnown
        _engine = NotificationEngine(
            interceptor: FoundationInterceptor.shared,
            defaults: CenterDefaults(mailbox: context.mailbox))
        isSubclass = type(of: self) != NotificationCenter.self
    }

    /// Creates a center whose observers hear on the main actor, unless their registration names
    /// another context.
    public init(delivering context: MainContext) {
        _ = OperationQueueResources.isKnown
        _engine = NotificationEngine(
            interceptor: FoundationInterceptor.shared, defaults: CenterDefaults(mailbox: .main))
        isSubclass = type(of: self) != NotificationCenter.self
    }

    /// Creates a center with an engine. For Switchyard's own modules.
    @_spi(Engine) public init(engine: _NotificationEngine) {
        _ = OperationQueueResources.isKnown
        _engine = engine
        isSubclass = type(of: self) != NotificationCenter.self
    }

    deinit { engine.close() }

    /// The center of the process. Its observers of a name also hear what Foundation and other
    /// libraries post under it on Foundation's default center.
    open class var `default`: NotificationCenter { DefaultCenter.current }

    // MARK: - Posting

    /// Posts a notification.
    ///
    /// When it returns, every observer that hears on the posting thread has run, and every other
    /// delivery is in its mailbox. Safe from any thread.
    ///
    /// - Complexity: O(observers that match), whatever else is registered.
    open func post(_ notification: Notification) {
        _ = engine.post(notification)
    }

    /// Posts a notification with a name and an object.
    ///
    /// - Parameters:
    ///   - name: the name that observers registered for.
    ///   - object: the object of the notification: an instance is matched by identity, another
    ///     hashable value by equality.
    open func post(name: NSNotification.Name, object: Any?) {
        post(name: name, object: object, userInfo: nil)
    }

    /// Posts a notification with a name, an object and further information.
    ///
    /// - Parameters:
    ///   - name: the name that observers registered for.
    ///   - object: the object of the notification: an instance is matched by identity, another
    ///     hashable value by equality.
    ///   - userInfo: further information for the observers.
    open func post(name: NSNotification.Name, object: Any?, userInfo: [AnyHashable: Any]?) {
        if isSubclass {
            post(Notification(name: name, object: object, userInfo: userInfo))
        } else {
            _ = engine.post(name: name, object: object, userInfo: userInfo)
        }
    }

    /// Posts a typed message, about nothing in particular.
    ///
    /// When it returns, every handler that hears on the posting thread has run, and every other
    /// delivery is in its mailbox. Safe from any thread.
    ///
    /// - Complexity: O(observers that match), whatever else is registered.
    open func post<Message: NotificationMessage>(_ message: Message) {
        _engine.post(message)
    }

    /// Posts a typed message about `subject`: it reaches observers of that very instance, or an
    /// equal value, and those who observe any.
    public final func post<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject
    ) {
        _ = _engine.post(message, about: subject, as: Subject(subject))
    }

    /// Posts a typed message about an instance: it reaches observers of that very instance, and
    /// those who observe any.
    public final func post<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject
    )
    where Message.Subject: AnyObject {
        _ = _engine.post(message, about: subject, as: Subject(instance: subject))
    }

    // MARK: - Adding

    /// Calls `block` with every notification of a name and object, until the observer is removed.
    ///
    /// - Parameters:
    ///   - name: the name to observe; nil for any.
    ///   - object: the object that it must have; nil for any or none. An instance is matched by
    ///     identity and not kept alive.
    ///   - queue: the queue on which `block` runs; the post waits for it. Nil: on the posting
    ///     thread. The registration keeps the queue alive. A post from one of the queue's
    ///     operations calls `block` at once. Foundation does not tell that a barrier block of an
    ///     idle queue runs on it: a post from there waits for ever.
    ///   - block: the code to call. It is kept until the observer is removed, with what it
    ///     captures.
    /// - Returns: The observer to give to ``removeObserver(_:)-(Any)``. Dropping it ends nothing.
    /// - Complexity: O(1) amortised.
    open func addObserver(
        forName name: NSNotification.Name?, object: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        let handler = queue.map { QueueHandler(block, on: $0, engine) } ?? NamedHandler(block)
        return add(
            handler, name, object, queue == nil ? engine.mailbox(of: .standard) : nil, .standard)
    }

    /// Calls `block` with every notification of a name and object, until the observer is removed.
    package final func addObserver(
        forName name: NSNotification.Name?, object: Any?, on mailbox: SharedMailbox?,
        options: ObservationOptions, using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        add(NamedHandler(block), name, object, mailbox, options)
    }

    private func add(
        _ handler: AnyNamedHandler, _ name: NSNotification.Name?, _ object: Any?,
        _ mailbox: SharedMailbox?, _ options: ObservationOptions
    ) -> any NSObjectProtocol {
        let observer = NotificationObserver()
        handler.returnedObserver = observer
        observer.observation = engine.add(
            handler, topic: Topic(name), subject: Subject(optional: object), mailbox: mailbox,
            options: options, origin: RegistrationSite("addObserver(forName:)", 0))
        return observer
    }

    // MARK: - Removing

    /// Ends what `observer` observes: one registration if it is what `addObserver` returned, all of
    /// an object's methods if it is that object. When this returns, none of these handlers starts
    /// any more. A handler that started before may still be running on another thread.
    open func removeObserver(_ observer: Any) {
        removeObserver(observer, name: nil, object: nil)
    }

    /// Ends what `observer` observes under a name and object.
    ///
    /// - Parameters:
    ///   - observer: the result of `addObserver`, or an object whose methods observe.
    ///   - name: only registrations for this name; nil: for whatever name.
    ///   - object: only registrations for this object; nil: for whatever object.
    open func removeObserver(_ observer: Any, name: NSNotification.Name?, object: Any?) {
        let topic = name.map { Topic($0) }
        let subject = object.map { Subject($0) }
        guard let observer = Self.unwrapped(observer) else { return }
        if let token = observer as? ObservationToken {
            if token.observation.isFor(topic, subject) { removeObserver(token) }
        } else if let observer = observer as? NotificationObserver {
            // A token without an observation was removed before.
            guard let observation = observer.observation else { return }
            if isOwn(observation), observation.isFor(topic, subject) { observation.cancel() }
        } else if type(of: observer) is AnyClass {
            engine.removeObserver(observer as AnyObject, topic: topic, subject: subject)
        }
    }

    /// Ends the observation that `token` stands for. A token of another center changes nothing.
    open func removeObserver(_ token: ObservationToken) {
        if isOwn(token.observation) { token.cancel() }
    }

    /// The value inside an optional or `AnyHashable` that came as `Any`, as Foundation takes it
    /// elsewhere.
    private static func unwrapped(_ observer: Any) -> Any? {
        if let hashable = observer as? AnyHashable, type(of: observer) == AnyHashable.self {
            return unwrapped(hashable.base)
        }
        guard let optional = observer as? any OptionalObserver else { return observer }
        return optional.observer.flatMap { unwrapped($0) }
    }

    private func isOwn(_ observation: Observation) -> Bool {
        if engine.owns(observation) { return true }
        engine.report(
            DeliveryProblem(
                .wrongCenter,
                "a token of another center was given to removeObserver: it removes nothing here; "
                    + "call cancel() on the token, or give it to the center that it came from"))
        return false
    }
}

extension NotificationCenter {
    /// One registration; SF-0011's name for it.
    public typealias ObservationToken = SwitchyardCore.ObservationToken
}

extension NotificationCenter: Hashable, CustomStringConvertible {
    /// Centers are equal when they are the same.
    public static func == (left: NotificationCenter, right: NotificationCenter) -> Bool {
        left === right
    }

    /// The center's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The class and address.
    public var description: String {
        let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        return "<\(type(of: self)) 0x\(String(address, radix: 16))>"
    }
}

/// The observer that `addObserver(forName:object:queue:using:)` returns. As with Apple's center,
/// the registration keeps it until it is removed, so a block may know it through a weak variable,
/// and remove itself.
final class NotificationObserver: NSObject {
    /// Weak: the registration's handler keeps this, and a strong reference back would be a cycle.
    /// Set once, before this is handed out.
    fileprivate(set) weak var observation: Observation?
}

extension Topic {
    /// The topic of a name; nil is any name.
    package init(_ name: NSNotification.Name?) {
        if let name { self = .name(name.rawValue) } else { self = .anyName }
    }
}

/// An optional that came as `Any`.
private protocol OptionalObserver {
    var observer: Any? { get }
}

extension Optional: OptionalObserver {
    fileprivate var observer: Any? { self }
}
