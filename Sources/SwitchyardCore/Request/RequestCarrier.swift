// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// An interceptor that takes requests to other processes, too.
@_spi(Engine) public protocol RequestCarrier: AnyObject, Sendable {
    /// Learns that an observer that answers requests of a type is about to be registered.
    ///
    /// - Parameter topic: the topic of that registration.
    func willAnswer<Request: RequestMessage>(_ type: Request.Type, _ topic: Topic)

    /// Takes a request to other processes.
    ///
    /// - Returns: The closure to call once the request is over; nil if no other process was asked.
    /// - Throws: An error if the request can't be sent; the request then ends without a result.
    func carry<Request: RequestMessage>(
        _ request: OutgoingRequest<Request>
    ) throws -> (@Sendable () -> Void)?
}

extension NotificationEngine {
    /// The interceptor, if it takes requests to other processes.
    var requestCarrier: (any RequestCarrier)? { interceptor as? any RequestCarrier }
}
