// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
@_spi(Engine) internal import SwitchyardCore
public import SwitchyardDistributed
internal import Synchronization

extension NATSTransport {
    /// The number of waiting bytes beyond which a post waits, if the server takes data, until half
    /// as many wait.
    private static var much: Int { 1024 * 1024 }
    /// The milliseconds for which a post waits for a server that takes nothing.
    private static var patience: Duration { .milliseconds(250) }

    /// Publishes a notification. The calling thread writes it to the server; in a burst, it is
    /// written together with those that follow. The calling thread is held up while the server
    /// takes data, but too slowly.
    ///
    /// - Returns: A count of one sent notification; of one that was dropped, if the center has left.
    ///   Only the server knows the number of processes that receive it.
    /// - Throws: `DistributedPostError` when the notification is longer than the server allows,
    ///   when too much waits, or in a forked child.
    public func send(_ notification: OutgoingNotification) throws -> DistributedSendResult {
        if isForked {
            throw DistributedPostError(
                .notConnected,
                "this process was forked from the one that made the center, and has no connection: a "
                    + "child has to call exec, or to make a center of its own")
        }
        let queue = publishQueue.acquire()
        // Under the lock, after which ``stop()`` counts what is lost.
        if hasStopped.load(ordering: .relaxed) || queue.pointee.hasLeft {
            publishQueue.release()
            return drop(notification)
        }
        defer { publishQueue.release() }
        if let session = queue.pointee.session, let handle = session.handle {
            if try publish(notification, session, handle, &queue.pointee) {
                return DistributedSendResult(sent: 1)
            }
            // The connection has broken just now.
            queue.pointee.end(session)
        }
        try hold(notification, &queue.pointee)
        return DistributedSendResult(sent: 1)
    }

    /// Drops a notification that is posted after the center has left: observers in this process
    /// hear it all the same. Tells the problem hook, once. Called under no lock, because the hook is
    /// the user's.
    private func drop(_ notification: OutgoingNotification) -> DistributedSendResult {
        // Answers of the center itself are nobody's post.
        let isUsers = !DistributedInterest(name: notification.name, object: nil).isForCenters
        if isUsers, !hasDropped.exchange(true, ordering: .relaxed) {
            intake?.report(
                problem:
                    "a notification was posted after the center had left NATS: neither it nor what "
                    + "is posted later goes to other processes. Post before that")
        }
        return DistributedSendResult(dropped: 1)
    }

    /// Publishes a request.
    ///
    /// - Returns: The processes that have announced that they answer it.
    public func ask(_ notification: OutgoingNotification) throws -> DistributedAskResult {
        let interest = DistributedInterest(name: notification.name, object: notification.object)
        let peers = peerTable.withLock { $0.hearers(of: interest) }
        let result = try send(notification)
        return DistributedAskResult(
            asked: result.sent > 0 ? peers : [], dropped: result.dropped)
    }

    /// - Returns: Whether the connection still exists.
    private func publish(
        _ notification: OutgoingNotification, _ session: NATSSession, _ handle: OpaquePointer,
        _ queue: inout PublishQueue
    ) throws -> Bool {
        try makeRoom(session, &queue)
        session.willPublish()
        var published = 0
        defer { session.didPublish(published, mayWrite: queue.pace.mayWrite(1)) }
        let (status, size) = try queue.publish(notification, on: handle, subjects)
        switch status {
        case NATS_OK:
            published = size
            queue.unchecked += size
            return true
        case NATS_CONNECTION_CLOSED: return false
        default: throw refusal(status, notification.payload.bytes.count, handle)
        }
    }

    private func hold(
        _ notification: OutgoingNotification, _ queue: inout PublishQueue
    ) throws {
        if queue.heldBytes > options.bufferBytes { throw Self.isFull(options.bufferBytes) }
        // The limit of the last server: the next one may allow more, or less.
        let most = Int(clamping: longestData.load(ordering: .relaxed))
        guard notification.payload.bytes.count <= most else {
            throw tooLong(notification.payload.bytes.count, most)
        }
        try queue.hold(notification, subjects)
    }

    /// Waits while too many bytes have not been written, as long as the server takes some.
    private func makeRoom(_ session: NATSSession, _ queue: inout PublishQueue) throws {
        if queue.unchecked < Self.much / 4 { return }
        queue.unchecked = 0
        if session.buffered < Self.much {
            queue.isStalled = false
            return
        }
        let patience = queue.isStalled ? .zero : Self.patience
        queue.isStalled = !session.write(untilAtMost: Self.much / 2, patience: patience)
        // The next post checks again, while much waits.
        queue.unchecked = Self.much
        if session.buffered > options.bufferBytes { throw Self.isFull(options.bufferBytes) }
    }

    private static func isFull(_ bytes: Int) -> DistributedPostError {
        DistributedPostError(
            .bufferIsFull,
            "\(bytes) bytes that were posted before wait, because there is no connection to NATS, or "
                + "the server takes nothing: post it again later, or give it more room "
                + "(NATSOptions.bufferBytes)")
    }

    private func refusal(
        _ status: natsStatus, _ size: Int, _ handle: OpaquePointer
    ) -> DistributedPostError {
        switch status {
        case NATS_INSUFFICIENT_BUFFER: Self.isFull(options.bufferBytes)
        case NATS_MAX_PAYLOAD: tooLong(size, Int(natsConnection_GetMaxPayload(handle)))
        case NATS_NO_SERVER_SUPPORT:
            DistributedPostError(
                .notConnected, "the server takes no headers: it has to be 2.2 or later")
        default:
            DistributedPostError(.notConnected, NATSError(status, "publish").description)
        }
    }

    private func tooLong(_ size: Int, _ most: Int) -> DistributedPostError {
        DistributedPostError(
            .tooLong,
            "\(size) bytes of data, and the server takes at most \(most), with headers: put it into a "
                + "file or an object store and post its path, or raise the server's max_payload"
        )
    }

    /// The server, where a process has to be named.
    var server: DistributedPeer {
        DistributedPeer(
            id: "", processIdentifier: 0,
            processName: options.serverNames)
    }
}
#endif
