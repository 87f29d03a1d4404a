// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) public import SwitchyardCore
internal import Synchronization

/// A handler of the notifications and messages that are delivered under a name.
@_spi(Engine) open class AnyNamedHandler: _DeliveryHandler<NamedPayload> {
    /// The observer object that the caller got for the registration, kept until it ends. Set before
    /// the registration.
    final var returnedObserver: AnyObject?

    override public func detached(
        _ payload: NamedPayload, objectIsGone: Bool
    ) -> NamedPayload {
        payload.detached(objectIsGone: objectIsGone)
    }

    override open func admits(_ payload: NamedPayload, _ filter: DeliveryFilter) -> Bool {
        filter.admits(payload.notification)
    }

    override open func key(_ key: DeliveryKey, of payload: NamedPayload) -> AnyHashable? {
        key(payload.notification)
    }
}

/// Calls a closure with notifications.
final class NamedHandler: AnyNamedHandler {
    private let body: (Notification) throws -> Void

    init(_ body: @escaping (Notification) throws -> Void) { self.body = body }

    override var inWords: String { returnedObserver == nil ? "a closure" : "a block" }

    override func deliver(_ payload: NamedPayload) throws -> DeliveryOutcome {
        try payload.withNotification(body)
        return .delivered
    }
}

/// Calls a closure that decides whether the post goes on.
final class NamedConsumingHandler: AnyNamedHandler {
    private let body: (Notification) throws -> Consumption
    private let count = Atomic<UInt64>(0)

    init(_ body: @escaping (Notification) throws -> Consumption) { self.body = body }

    override var inWords: String { "a closure that may consume" }

    override var consumed: UInt64 { count.load(ordering: .relaxed) }

    override func countConsumed() { count.wrappingAdd(1, ordering: .relaxed) }

    override func deliver(_ payload: NamedPayload) throws -> DeliveryOutcome {
        switch try body(payload.notification) {
        case .passed: .delivered
        case .consumed: .consumed
        }
    }
}

/// Keeps notifications for a sequence.
final class NamedReader: AnyNamedHandler {
    private let buffer: StreamBuffer<Notification>
    /// Whether the sequence ends with the first notification.
    private let isOnce: Bool

    init(_ buffer: StreamBuffer<Notification>, isOnce: Bool) {
        self.buffer = buffer
        self.isOnce = isOnce
    }

    // The observation may end before the center, because its object has died.
    deinit { buffer.finish() }

    override var inWords: String { "a sequence" }

    override var role: HandlerRole { .other }

    override var isSequence: Bool { true }

    override var waiting: Int { buffer.count }

    override var keepsAll: Bool { buffer.isUnbounded }

    override func centerEnded() { buffer.finish() }

    override func deliver(_ payload: NamedPayload) throws -> DeliveryOutcome {
        payload.withNotification { _ = buffer.append($0.storable) }
        if isOnce { buffer.finish() }
        return .delivered
    }
}

/// Shows notifications to a closure that is not to be noticed.
final class NamedWatcher: AnyNamedHandler {
    private let body: (Notification) -> Void

    init(_ body: @escaping (Notification) -> Void) { self.body = body }

    override var inWords: String { "a recorder or an expectation" }

    override var role: HandlerRole { .other }

    override var seesConsumed: Bool { true }

    override func deliver(_ payload: NamedPayload) -> DeliveryOutcome {
        payload.withNotification(body)
        return .uncounted
    }
}

/// Calls a method of an object that is held weakly, and strongly only during the call.
final class NamedMethodHandler<Observer: AnyObject>: AnyNamedHandler {
    private let observer: ObserverReference<Observer>
    private let call: (Observer, Notification) throws -> Void

    init(
        _ observer: Observer, calling call: @escaping (Observer, Notification) throws -> Void
    ) {
        self.observer = ObserverReference(observer)
        self.call = call
    }

    convenience init(
        _ observer: Observer, _ method: @escaping (Observer) -> (Notification) throws -> Void
    ) {
        self.init(observer) { try method($0)($1) }
    }

    override var inWords: String { "a method of \(Observer.self)" }

    override var role: HandlerRole { .method }

    override var observerIsGone: Bool { observer.isGone }

    override func deliver(_ payload: NamedPayload) throws -> DeliveryOutcome {
        guard let observer = observer.object else { return .expired }
        try payload.withNotification { try call(observer, $0) }
        return .delivered
    }
}
