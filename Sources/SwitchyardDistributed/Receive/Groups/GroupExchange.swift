// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// Groups with members in several processes: the process that posts a notification chooses one process for each group,
/// and that one its member.
///
/// A notification of another process that takes part is therefore not delivered to groups here. It comes once more, as a
/// job for the group, if this process was chosen; and the one that chose learns when a member has handled it, so that it
/// knows who is idle.
final class GroupExchange: Sendable {
    struct State: Sendable {
        /// The way to other processes; nil if there is none.
        var sender: CenterSender?
        var remote = RemoteGroups()
        /// The processes that do not take part: they do not choose.
        var strangers: Set<String> = []
        var lastNumber: UInt64 = 0
        /// The jobs that others have been given, and have not answered for.
        var given: [UInt64: GivenJob] = [:]
    }

    /// A job that another process has been given.
    struct GivenJob: Sendable {
        let process: String
        /// The job, for the case that the process has no member any more.
        let job: GroupFrame.Job
        /// The processes that have none.
        var tried: Set<String> = []
        /// Whether the conditions of members there do not let it in.
        var isUnwanted = false
    }

    /// The most jobs that are kept until they are answered for.
    static let mostGiven = 100_000

    let engine: NotificationEngine
    let suspension: Suspension
    let local: LocalGroups
    let state = Guarded(State())
    /// Whether another process has a group.
    private let hasRemote = Atomic<Bool>(false)
    private let isConnected = Atomic<Bool>(false)

    init(_ engine: NotificationEngine, _ interest: LocalInterest, _ suspension: Suspension) {
        self.engine = engine
        self.suspension = suspension
        local = LocalGroups(interest)
    }

    /// Connects with other processes, and tells them of the groups here.
    func connect(_ sender: CenterSender) {
        state.withLock { $0.sender = sender }
        isConnected.store(true, ordering: .relaxed)
        local.share()
    }

    /// Whether a post may have to go to a member of another process.
    var isShared: Bool { hasRemote.load(ordering: .relaxed) }

    /// Whether a notification from another process may have to be kept from groups here.
    @inline(__always)
    var mayBeChosen: Bool { engine.hasGroups && isConnected.load(ordering: .relaxed) }

    /// The groups here of which a member hears a notification from another process.
    func hearers(from sender: DistributedPeer) -> Hearers.Groups {
        // Programs that are no process of the domain choose nobody, and have no id.
        if sender.id.isEmpty || state.withLock({ $0.strangers.contains(sender.id) }) { return .all }
        return .none
    }

    /// Takes a notification of another center about groups; passes over others.
    func take(_ info: [AnyHashable: Any], from peer: DistributedPeer) {
        if let job = GroupFrame.Job(info) {
            take(job, from: peer)
        } else if let outcome = GroupFrame.Outcome(info) {
            take(outcome, from: peer)
        }
    }

    // MARK: - Other processes

    /// Takes note of the interests of a process.
    func set(_ interests: [DistributedInterest], of process: String) {
        let groups = interests.compactMap { GroupInterest($0) }
        state.withLock { state in
            state.remote.set(groups, of: process)
            hasRemote.store(!state.remote.isEmpty, ordering: .relaxed)
        }
    }

    /// Takes note that a process does not take part, as programs in other languages may not.
    func isStranger(_ process: String, _ isStranger: Bool) {
        state.withLock { state in
            if isStranger {
                state.strangers.insert(process)
            } else {
                state.strangers.remove(process)
            }
        }
    }

    /// Takes note that a process has gone, and tells of the jobs that it has not answered for.
    func hasGone(_ process: String) {
        let lost = state.withLock { state in
            state.strangers.remove(process)
            state.remote.set([], of: process)
            hasRemote.store(!state.remote.isEmpty, ordering: .relaxed)
            let lost = state.given.filter { $0.value.process == process }
            for number in lost.keys { state.given[number] = nil }
            return lost.count
        }
        if lost == 0 { return }
        engine.report(
            DeliveryProblem(
                .distributedLoss,
                "a process has ended with \(lost) notifications for members of a group: they may not have been handled",
                count: lost))
    }
}
