// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) internal import SwitchyardCore

extension NotificationCenter {
    /// The notifications of a name as an asynchronous sequence.
    ///
    /// Each iterator observes from its making on, and keeps everything until it is asked for.
    ///
    /// - Parameters:
    ///   - name: the name to observe.
    ///   - object: the object that they must have; nil for any or none. Not kept alive.
    ///   - options: the way in which each iterator observes, as an observer on `.poster` would: a
    ///     condition, for instance, or the latest value first. A one-shot iterator ends with its
    ///     first notification.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    public func notifications(
        named name: Notification.Name, object: (any AnyObject & Sendable)? = nil,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Notifications {
        Notifications(center: self, .named(name), object: object, options, fileID, line)
    }

    /// The notifications whose names fit a pattern, as an asynchronous sequence; otherwise as
    /// ``notifications(named:object:options:fileID:line:)``, with a pattern as in
    /// ``observe(matching:of:on:options:fileID:line:using:)``.
    public func notifications(
        matching pattern: NamePattern, object: (any AnyObject & Sendable)? = nil,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Notifications {
        Notifications(center: self, .matching(pattern), object: object, options, fileID, line)
    }

    /// The notifications of a name or pattern, in the order of posting; see
    /// ``NotificationCenter/notifications(named:object:options:fileID:line:)``.
    public final class Notifications: AsyncSequence, @unchecked Sendable {
        // Sendable: constant; the weak reference only goes from the object to nil.
        /// A notification.
        public typealias Element = Notification
        /// Iteration throws nothing.
        public typealias Failure = Never

        enum Wanted {
            case named(Notification.Name)
            case matching(NamePattern)
        }

        private let center: NotificationCenter
        private let wanted: Wanted
        private weak let object: AnyObject?
        private let isForObject: Bool
        private let options: ObservationOptions
        private let fileID: StaticString
        private let line: UInt

        init(
            center: NotificationCenter, _ wanted: Wanted, object: AnyObject?,
            _ options: ObservationOptions, _ fileID: StaticString, _ line: UInt
        ) {
            self.fileID = fileID
            self.line = line
            self.center = center
            self.wanted = wanted
            self.object = object
            isForObject = object != nil
            self.options = options
        }

        /// Begins to observe.
        public func makeAsyncIterator() -> Iterator {
            let buffer = StreamBuffer<Notification>(.unbounded)
            // Once: it may die at any moment, and an observer of no object hears of all.
            let object = object
            guard !isForObject || object != nil else {
                buffer.finish()
                return Iterator(buffer: buffer, token: nil)
            }
            return Iterator(
                buffer: buffer,
                token: observe(object, into: NamedReader(buffer, isOnce: options.isOnce)))
        }

        private func observe(
            _ object: AnyObject?, into reader: NamedReader
        ) -> ObservationToken {
            let origin = RegistrationSite(fileID, line)
            switch wanted {
            case .named(let name):
                return center.observe(name, object, reader, nil, nil, options, origin)
            case .matching(let pattern):
                return center.observe(pattern, object, reader, nil, nil, options, origin)
            }
        }

        /// Takes the notifications one after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let buffer: StreamBuffer<Notification>
            /// Ends the observation with the iterator.
            fileprivate let token: ObservationToken?

            /// The next notification; nil when the task is cancelled, or the center has gone.
            public mutating func next() async -> Notification? {
                await buffer.nextElement()
            }

            /// The next notification, for a caller on `actor`; nil when the task is cancelled, or
            /// the center has gone.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async -> Notification? {
                await buffer.nextElement(isolation: actor)
            }
        }
    }
}
