// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

// Requests that go to other processes as well: requests of types that can be encoded.
extension DistributedInterceptor: RequestCarrier {
    func willAnswer<Request: RequestMessage>(_ type: Request.Type, _ topic: Topic) {
        guard let type = type as? any DistributedRequest.Type else { return }
        intake?.requests.willAnswer(type, topic)
    }

    func carry<Request: RequestMessage>(
        _ request: OutgoingRequest<Request>
    ) throws -> (@Sendable () -> Void)? {
        guard let type = Request.self as? any DistributedRequest.Type else { return nil }
        return try carry(request, type)
    }

    private func carry<Request: DistributedRequest>(
        _ request: Any, _ type: Request.Type
    ) throws -> (@Sendable () -> Void)? {
        guard let request = request as? OutgoingRequest<Request> else { return nil }
        return try intake?.requests.carry(request)
    }
}
