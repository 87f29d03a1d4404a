// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// An interceptor that takes requests to other processes, too.
@_spi(Engine) public protocol RequestCarrier: AnyObject, Sendable {
    /// Told that somebody is about to be registered who answers requests of a type.
    ///
    /// - Parameter topic: the topic of that registration.
    func willAnswer<Request: RequestMessage>(_ type: Request.Type, _ topic: Topic)

    /// Takes a request to other processes.
    ///
    /// - Returns: The closure to call once the request is over; nil if nobody else was asked.
    /// - Throws: An error if it can't be sent; it ends without a result then.
    func carry<Request: RequestMessage>(
        _ request: OutgoingRequest<Request>
    ) throws -> (@Sendable () -> Void)?
}

extension NotificationEngine {
    /// The interceptor, if it takes requests to other processes.
    var requestCarrier: (any RequestCarrier)? { interceptor as? any RequestCarrier }
}
