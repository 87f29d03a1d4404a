// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

// The frames of a connection, as the writer takes and counts them.
extension Mesh {
    /// Takes the frames that wait for a connection into its batch, for the writer to write.
    ///
    /// - Returns: The number of bytes of the batch that have left already, nil if there is nothing
    ///   to write; and the news to tell once no lock is held.
    func beginWriting(to connection: MeshConnection) -> (left: Int?, WriterNews) {
        state.withLock { state in
            if connection.isClosed { return (nil, WriterNews()) }
            let loss = (connection as? Outlet).flatMap { endOverflow(of: $0, &state) }
            if connection.queue.beginLeaving(in: &connection.batch) {
                return (connection.queue.left, WriterNews(loss: loss))
            }
            state.pace.wrote()
            return (nil, WriterNews(loss: loss, done: state.takeDoneWaiters()))
        }
    }

    /// Reports what happened while frames were written. Called under no lock, because hooks are the
    /// user's.
    func tell(_ news: WriterNews) {
        if let loss = news.loss { intake?.report(loss) }
        for waiter in news.done { waiter.finish([]) }
    }

    /// - Parameter enough: the number of bytes that are enough for another write.
    /// - Returns: Whether fewer are left.
    func wrote(_ count: Int, to connection: MeshConnection, enough: Int) -> Bool {
        state.withLock { _ in
            connection.queue.leave(count, of: &connection.batch)
            if let outlet = connection as? Outlet {
                outlet.counts.hasMoved = true
                outlet.counts.taken &+= UInt64(count)
            }
            return connection.queue.hasLittle(below: enough)
        }
    }

    /// Tells a peer how much it missed, once its queue has room again.
    private func endOverflow(
        of outlet: Outlet, _ state: inout MeshState
    ) -> DistributedLoss? {
        guard outlet.counts.isOverflowing, outlet.hasSaidWhatItWants,
            outlet.queue.count <= limits.queueBytes / 2
        else { return nil }
        return tellLoss(of: outlet, &state)
    }

    /// Queues LOST for a peer. Called under the lock; the caller makes sure that the queue is
    /// written.
    ///
    /// - Returns: The loss since the peer was last told.
    func tellLoss(of outlet: Outlet, _ state: inout MeshState) -> DistributedLoss? {
        outlet.counts.isOverflowing = false
        var frame = ByteWriter()
        frame.frame(.lost, outlet.counts.nextSequence)
        outlet.queue.append(unnumbered: state.log.append(frame))
        defer { outlet.counts.lostSinceTold = 0 }
        return outlet.peer.map {
            DistributedLoss(peer: $0, direction: .outgoing, count: outlet.counts.lostSinceTold)
        }
    }
}

/// The news that the writer has to tell once it holds no lock.
struct WriterNews: Sendable {
    var loss: DistributedLoss?
    var done: [MeshWaiter] = []
}

// MARK: - Frames about the connection itself

extension Mesh {
    /// Writes a frame about the connection itself, ahead of queued notifications.
    func write(
        _ frame: UnsafeRawBufferPointer, to connection: MeshConnection, _ state: inout MeshState
    ) {
        if connection.isClosed { return }
        if connection.queue.isEmpty {
            writeNow(frame, to: connection, &state.toWrite)
        } else if connection.queue.controlCount > max(limits.queueBytes, 1 << 20) {
            // The peer sends requests without reading the answers, or has long not read what this
            // process observes. If it goes on, it connects again, and is told everything from the
            // beginning.
            connection.fault =
                "it does not read the answers to its questions, or the changes of what is "
                + "observed here"
            connection.breakOff()
        } else {
            connection.queue.appendControl(frame)
        }
    }

    func handToWriter(_ connection: MeshConnection, _ toWrite: inout [MeshConnection]) {
        toWrite.append(connection)
        if toWrite.count == 1 { writer.wake(for: self) }
    }
}
