// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

// Notifications as a center hands them over: with a context, the time of a latest value, or a
// request.
extension Mesh {
    func send(_ notification: OutgoingNotification) -> DistributedSendResult {
        send(notification, along: nil)
    }

    /// Sends a request, and says which peers answer it.
    func ask(_ notification: OutgoingNotification) -> DistributedAskResult {
        let interest = DistributedInterest(name: notification.name, object: notification.object)
        var asked = DistributedAskResult()
        _ = send(notification) { outlet, isSent in
            guard outlet.wanted.all.contains(interest) else { return }
            if isSent { asked.asked.append(outlet.knownPeer) } else { asked.dropped += 1 }
        }
        return asked
    }

    private func send(
        _ notification: OutgoingNotification, along look: ((Outlet, _ isSent: Bool) -> Void)?
    ) -> DistributedSendResult {
        var payload = notification.payload.bytes
        if let time = notification.keptAt {
            payload = withUnsafeBytes(of: time.littleEndian) { Array($0) } + payload
        }
        return payload.withUnsafeBytes { bytes in
            post(
                .name(notification.name), notification.object, notification.payload.kind, bytes,
                isImmediate: notification.deliversImmediately, isKept: notification.keptAt != nil,
                context: notification.context.isEmpty ? nil : notification.context, look)
        }
    }
}
