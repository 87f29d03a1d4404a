// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The way to other centers, as ``LatestExchange`` and ``RequestExchange`` know it.
class CenterSender: @unchecked Sendable {
    // Sendable: nothing is stored here; a subclass answers for itself.

    /// The id of this process, as others see it.
    final var process: String { ownPeer?.id ?? "" }

    /// This process, as others see it; nil if the transport has gone.
    var ownPeer: DistributedPeer? {
        preconditionFailure("a subclass of CenterSender overrides \(#function)")
    }

    /// Whether other processes can be reached at all.
    var isConnected: Bool {
        preconditionFailure("a subclass of CenterSender overrides \(#function)")
    }

    /// Whether the transport tells of the interests of other processes, so that groups can be
    /// shared.
    var sharesGroups: Bool {
        preconditionFailure("a subclass of CenterSender overrides \(#function)")
    }

    /// Whether a notification may go to another process now. True if the transport does not know.
    func mayBeHeard(_ name: String, _ object: String?) -> Bool {
        preconditionFailure("a subclass of CenterSender overrides \(#function)")
    }

    /// Sends a notification, behind those that this thread sent before.
    func send(_ name: String, _ object: String?, _ payload: DistributedPayload) throws {
        preconditionFailure("a subclass of CenterSender overrides \(#function)")
    }

    /// Sends a notification to those that want its very name and object, behind those that this
    /// thread sent before.
    ///
    /// - Returns: These processes, and whether it went to them.
    func ask(
        _ name: String, _ object: String, _ payload: DistributedPayload,
        context: [String: String] = [:]
    ) throws -> DistributedAskResult {
        preconditionFailure("a subclass of CenterSender overrides \(#function)")
    }

    /// Whether the transport notices by itself that a process has gone.
    var noticesEnds: Bool {
        preconditionFailure("a subclass of CenterSender overrides \(#function)")
    }

    /// Asks a process for a sign of life, so that the transport notices if it has gone.
    func look(after peer: DistributedPeer, within limit: Duration) async {
        preconditionFailure("a subclass of CenterSender overrides \(#function)")
    }

    /// Waits until the other processes know what is observed here.
    ///
    /// - Returns: The ids of those that do not.
    func unready(within limit: Duration) async -> Set<String> {
        preconditionFailure("a subclass of CenterSender overrides \(#function)")
    }

    // MARK: - For all

    /// Checks whether processes that owe an answer still live, with ``look(after:within:)``, again
    /// and again, with a pause of a second. For transports with a server in between: there, no
    /// connection breaks when a process ends.
    ///
    /// - Parameter next: given the number of the last question at the check before, returns the
    ///   processes that owe an answer to a question up to that number, and the number of the last
    ///   question now. Nil ends the checks.
    final func lookAfter(
        _ next: @escaping @Sendable (UInt64) -> (processes: Set<String>, latest: UInt64)?
    ) {
        let pause = Duration.seconds(1)
        Task.detached {
            var last: UInt64 = 0
            while let (processes, latest) = next(last) {
                last = latest
                for process in processes {
                    let peer = DistributedPeer(
                        id: process, processIdentifier: 0, processName: "")
                    await self.look(after: peer, within: pause)
                }
                try? await Task.sleep(for: pause)
            }
        }
    }
}
