// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

// Notifications as a center hands them over: with a context, the time of a latest value, or a
// request.
extension Mesh {
    /// The fate of a post for one peer.
    enum PostFate {
        case sent(Outlet)
        case dropped(Outlet)
        /// The peer with this address has not said what it wants: the post waits for that.
        case kept(String)
        /// The peer for which it is has not said what it wants, and too much waits for that.
        case refused
    }

    func send(_ notification: OutgoingNotification) -> DistributedSendResult {
        send(notification, along: nil)
    }

    /// Whether a peer wants notifications of this name and object, or has not said what it wants.
    func hasHearers(_ topic: Topic, _ object: String?) -> Bool {
        if isForked { return false }
        return state.withLock { state in
            if state.isLeaving { return false }
            let route = findRoute(topic.name, object, Routes.hash(topic, object), &state)
            return !state.backlogs.isEmpty
                || route._withUnsafeGuaranteedRef { !$0.targets.isEmpty }
        }
    }

    /// Sends a request, and says which peers answer it.
    func ask(_ notification: OutgoingNotification) -> DistributedAskResult {
        let interest = DistributedInterest(name: notification.name, object: notification.object)
        var asked = DistributedAskResult()
        _ = send(notification) { fate in
            switch fate {
            case .sent(let outlet) where outlet.wanted.all.contains(interest):
                asked.asked.append(outlet.knownPeer)
            case .dropped(let outlet) where outlet.wanted.all.contains(interest):
                asked.dropped += 1
            case .kept(let address): asked.kept.append(address)
            case .refused: asked.dropped += 1
            case .sent, .dropped: break
            }
        }
        return asked
    }

    private func send(
        _ notification: OutgoingNotification, along look: ((PostFate) -> Void)?
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
