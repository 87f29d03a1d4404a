// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// A typed message that travels under its name.
@_spi(Engine) open class NamedMessage: @unchecked Sendable {
    // Sendable: messages are, or stay on the main actor; `made` is atomic.

    // Sendable: as unchecked as a notification that crosses threads; constant.
    private final class Made: @unchecked Sendable {
        let notification: Notification
        init(_ notification: Notification) { self.notification = notification }
    }

    /// The notification, once somebody has asked for it.
    /// Retained. Not `AtomicLazyReference`, which is not inlined, and asks for metadata each time.
    private let made = Atomic<UnsafeRawPointer?>(nil)

    /// Makes a message. For subclasses.
    public init() {}

    deinit {
        if let made = made.load(ordering: .acquiring) { Unmanaged<Made>.fromOpaque(made).release() }
    }

    /// The notification that the message's type makes of it, with the subject as its object.
    public final var notification: Notification {
        if let made = made.load(ordering: .acquiring) { return Self.notification(at: made) }
        let fresh = Unmanaged.passRetained(Made(makeNotification()))
        let (isFirst, first) = made.compareExchange(
            expected: nil, desired: UnsafeRawPointer(fresh.toOpaque()),
            ordering: .acquiringAndReleasing)
        if isFirst { return fresh._withUnsafeGuaranteedRef(\.notification) }
        fresh.release()
        guard let first else { preconditionFailure("only nil is exchanged") }
        return Self.notification(at: first)
    }

    private static func notification(at made: UnsafeRawPointer) -> Notification {
        Unmanaged<Made>.fromOpaque(made)._withUnsafeGuaranteedRef(\.notification)
    }

    /// Whether somebody has asked for the notification.
    public final var hasNotification: Bool { made.load(ordering: .relaxed) != nil }

    /// Forgets the notification: the next caller that asks for it has it made anew. Called only
    /// while nobody else has a reference.
    package final func forgetNotification() {
        if let made = made.exchange(nil, ordering: .acquiringAndReleasing) {
            Unmanaged<Made>.fromOpaque(made).release()
        }
    }

    /// Whether the notification can be made on the main actor only.
    open var isForMainActor: Bool { false }

    /// Whether the notification must be made before the message waits in a mailbox: its parts are
    /// gone when the post returns, or belong to the main actor.
    open var convertsBeforeWaiting: Bool { isForMainActor }

    /// The message itself; nil where it is not at hand.
    open var value: Any? { nil }

    /// The notification that it stands for.
    open func makeNotification() -> Notification {
        preconditionFailure("a NamedMessage subclass overrides makeNotification()")
    }

    /// The message without its subject, whose deinit has begun.
    open func withoutSubject() -> NamedMessage {
        preconditionFailure("a NamedMessage subclass overrides withoutSubject()")
    }

    /// The message with `subject` as its subject.
    open func about(_ subject: AnyObject) -> NamedMessage {
        preconditionFailure("a NamedMessage whose subjects are instances overrides about(_:)")
    }
}
