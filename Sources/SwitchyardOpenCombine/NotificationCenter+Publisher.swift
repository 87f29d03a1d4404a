// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if OpenCombine
public import Foundation
public import OpenCombine
public import Switchyard
@_spi(Engine) public import SwitchyardCore

extension Switchyard.NotificationCenter {
    /// Returns a publisher of the notifications of a name, with the interface of Combine's
    /// [`publisher(for:object:)`](https://developer.apple.com/documentation/foundation/notificationcenter/publisher(for:object:)).
    ///
    /// ```swift
    /// let subscription = center.publisher(for: .converterAdded, object: converter)
    ///     .compactMap { $0.userInfo?["format"] as? String }
    ///     .sink { print($0) }
    /// ```
    /// The publisher emits where the center delivers: on the posting thread, or, with a distributed
    /// center, on the main actor. ``publisher(for:of:on:options:fileID:line:)`` takes another
    /// context.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - object: The object that they must have; nil for any or none. An instance is matched by
    ///     identity, another hashable value by equality.
    ///   - fileID: The calling file, for reports; leave it out.
    ///   - line: The line in that file; leave it out.
    public func publisher(
        for name: Notification.Name, object: Any? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Publisher {
        Publisher(center: self, name: name, object: object, fileID: fileID, line: line)
    }

    /// Returns a publisher of the notifications of a name that emits on `context`.
    ///
    /// ```swift
    /// let subscription = center.publisher(for: .converterAdded, on: .thread(worker))
    ///     .sink { print($0) }                                      // on the worker
    /// ```
    /// Operators and subscriber run there as well, so that no `receive(on:)` is needed.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - object: The object that they must have; nil for any or none.
    ///   - context: The context on which the publisher emits.
    ///   - options: The priority, bound and pace of the observation. A publisher with `.once` emits
    ///     once and does not complete; use `first()` in its place.
    ///   - fileID: The calling file, for reports; leave it out.
    ///   - line: The line in that file; leave it out.
    public func publisher(
        for name: Notification.Name, of object: Any? = nil, on context: DeliveryContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Publisher {
        Publisher(
            center: self, name: name, object: object, context: context, options: options,
            fileID: fileID, line: line)
    }

    /// Returns a publisher of the notifications of a name that emits on the main actor's thread;
    /// otherwise as ``publisher(for:of:on:options:fileID:line:)-(_,_,DeliveryContext,_,_,_)``.
    public func publisher(
        for name: Notification.Name, of object: Any? = nil, on context: MainContext,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Publisher {
        publisher(
            for: name, of: object, on: .mailbox(.main), options: options, fileID: fileID, line: line
        )
    }

    /// A publisher of the notifications of a name, with the interface and the semantics of
    /// Combine's
    /// [`NotificationCenter.Publisher`](https://developer.apple.com/documentation/foundation/notificationcenter/publisher).
    ///
    /// Each subscriber observes the center from its subscription until it cancels. The publisher
    /// never completes.
    ///
    /// - **Demand.** A notification for which there is no demand is not kept: the subscriber never
    ///   gets it. Use `buffer(size:prefetch:whenFull:)` to keep some.
    /// - **Threads.** A subscriber gets one value at a time. When several threads post at once, one
    ///   of them emits for all, in the order in which the notifications came; the other posts
    ///   return without waiting. A post that the subscriber makes is emitted before it returns.
    /// - **Cancelling.** After `cancel()` has returned, no notification is emitted any more, except
    ///   the one that another thread may be emitting at that moment.
    /// - **Lifetimes.** The publisher keeps the center and the object; a subscription keeps the
    ///   center alone. A subscription that is released without `cancel()` ends.
    public struct Publisher: OpenCombine.Publisher {
        /// A notification.
        public typealias Output = Notification
        /// The publisher does not fail.
        public typealias Failure = Never

        /// The center whose notifications are published.
        public let center: Switchyard.NotificationCenter
        /// The name of the notifications.
        public let name: Notification.Name
        /// The object that notifications must have; nil for any or none.
        public let object: Any?

        private let context: DeliveryContext
        private let options: ObservationOptions
        private let fileID: StaticString
        private let line: UInt

        /// Creates a publisher of the notifications of a name; the same as
        /// ``Switchyard/NotificationCenter/publisher(for:object:fileID:line:)``.
        public init(
            center: Switchyard.NotificationCenter, name: Notification.Name, object: Any? = nil,
            fileID: StaticString = #fileID, line: UInt = #line
        ) {
            self.init(
                center: center, name: name, object: object, context: .standard, options: .standard,
                fileID: fileID, line: line)
        }

        init(
            center: Switchyard.NotificationCenter, name: Notification.Name, object: Any?,
            context: DeliveryContext, options: ObservationOptions,
            fileID: StaticString, line: UInt
        ) {
            self.center = center
            self.name = name
            self.object = object
            self.context = context
            self.options = options
            self.fileID = fileID
            self.line = line
        }

        /// Begins to observe for `subscriber`.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Notification, Downstream.Failure == Never {
            let subscription = CenterSubscription(subscriber)
            subscription.begin(
                with: subscriber, keeping: center, replays: options.replaysLatest
            ) {
                center.observe(
                    name, of: object, on: context, options: options, fileID: fileID, line: line
                ) { [weak subscription] in subscription?.receive($0) }
            }
        }
    }
}

extension Switchyard.NotificationCenter.Publisher: Equatable {
    /// Whether both publish the notifications of one center, of the same name, about the same
    /// object, in the same context. Options are not compared.
    public static func == (left: Self, right: Self) -> Bool {
        left.center === right.center && left.name == right.name
            && Subject(optional: left.object) == Subject(optional: right.object)
            && left.center.engine.mailbox(of: left.context)
                === right.center.engine.mailbox(of: right.context)
    }
}
#endif
