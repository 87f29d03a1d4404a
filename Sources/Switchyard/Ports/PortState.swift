// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore

/// The state machine of a port. No step calls the user's code: each names the action for the caller
/// when the port's lock is free.
struct PortState: @unchecked Sendable {
    // Sendable: all of it is behind the port's lock; the delegate is only passed on.

    /// The run loops to wake.
    struct WakeUp: Sendable {
        var sources: [RunLoopSource] = []

        func wake() {
            for source in sources { source.signal() }
        }
    }

    /// The answer to a message that is to be sent.
    enum Admission: Sendable {
        /// The message waits for the receiver; `reports` is the number of waiting messages, if it
        /// has to be reported.
        case sent(WakeUp, reports: Int)
        /// The port has no room: the sender waits.
        case waits(PortSender)
        case isFull
        case isInvalid
        /// The port has no room, and only this thread could make some.
        case isOwnThread
    }

    /// A run loop's turn: what waited when it began.
    struct Turn: Sendable {
        /// The number of the last message to deliver.
        let last: UInt64
        let changes: Int
        let wakeUp: WakeUp
    }

    /// One message of a turn.
    struct Delivery: Sendable {
        let mail: PortMail
        let receiver: PortReceiver
        /// The sender whose message took the room.
        let admitted: PortSender?
    }

    /// The work that is left when the port has become invalid.
    struct End: Sendable {
        let senders: [PortSender]
        let schedules: [PortSchedule]
        /// Released when the lock is free: destroying a message may run the user's code.
        let mail: FIFO<PortMail>
    }

    let capacity: Int?
    private(set) var isValid = true
    /// A reader under the lock may hold the last reference. It passes the delegate out of the lock,
    /// because the delegate's deinit is the user's code, and may use the port.
    private(set) weak var delegate: (any PortDelegate)?
    /// Whether there is a delegate, as far as is known: it is found to be gone when it is called.
    private var hasDelegate = false
    private(set) var mail = FIFO<PortMail>()
    /// The port's schedules: one schedule for each run loop, seldom more than one.
    private(set) var schedules: [PortSchedule] = []

    /// The senders that wait for room, in order.
    private(set) var senders: [PortSender] = []
    /// The number of messages taken out so far: the number of the one that went out last.
    private var taken: UInt64 = 0
    /// Whether a wake-up is on its way, or will come when there is a delegate.
    private var isSignalled = false
    /// The thread whose turn it is, and the number of its turns, one inside the other.
    private var turn: (thread: UInt, depth: Int) = (0, 0)
    /// The number of times that a mode was left: ends the turns under way.
    private var changes = 0
    /// The number of waiting messages that is reported.
    private var nextReport = Self.highWaterMark

    private static let highWaterMark = 100_000

    init(capacity: Int?) { self.capacity = capacity }

    /// The wake-up that is due when there is something to deliver and somebody to hear it.
    private mutating func wakeUp() -> WakeUp {
        if mail.isEmpty || !isValid { return WakeUp() }
        isSignalled = true
        return hasDelegate ? WakeUp(sources: schedules.compactMap(\.source)) : WakeUp()
    }
}

// MARK: - Sending

extension PortState {
    mutating func send(_ new: PortMail, before limit: Date) -> Admission {
        if !isValid { return .isInvalid }
        if let capacity, mail.count >= capacity {
            guard limit.timeIntervalSinceNow > 0 else { return .isFull }
            // While this thread has the turn, no other loop makes room.
            if turn.depth > 0, turn.thread == switchyard_thread_token() { return .isOwnThread }
            // The loop of the sender's own thread can't make room while the sender waits here.
            if !schedules.isEmpty, schedules.allSatisfy(\.isOnThread) { return .isOwnThread }
            let sender = PortSender(new)
            senders.append(sender)
            return .waits(sender)
        }
        mail.append(new)
        let reports = capacity == nil && mail.count >= nextReport ? mail.count : 0
        if reports > 0 { nextReport *= 2 }
        return .sent(isSignalled ? WakeUp() : wakeUp(), reports: reports)
    }

    /// Ends the wait of `sender`.
    ///
    /// - Returns: Its outcome; nil if there was no room.
    mutating func endWait(of sender: PortSender) -> PortSender.Outcome? {
        if sender.outcome == nil { senders.removeAll { $0 === sender } }
        return sender.outcome
    }
}

// MARK: - Receiving

extension PortState {
    mutating func setReceiver(_ receiver: PortReceiver) -> WakeUp {
        delegate = receiver.delegate
        hasDelegate = receiver.delegate != nil
        return wakeUp()
    }

    /// Begins a turn on the calling thread; nil if there is nothing to do here.
    mutating func beginTurn() -> Turn? {
        guard isValid, hasDelegate, !mail.isEmpty else {
            // A message that comes while there is no delegate wakes nobody until there is one.
            isSignalled = !mail.isEmpty
            return nil
        }
        let thread = switchyard_thread_token()
        // Another loop has the turn, and delivers the rest.
        guard turn.depth == 0 || turn.thread == thread else { return nil }
        turn = (thread, turn.depth + 1)
        isSignalled = false
        // The delegate may run the loop, so the messages behind the first have to wake it.
        let wakeUp = mail.count > 1 ? wakeUp() : WakeUp()
        return Turn(last: taken + UInt64(mail.count), changes: changes, wakeUp: wakeUp)
    }

    /// The next message of a turn; nil when it is over.
    mutating func next(in turn: Turn) -> Delivery? {
        guard isValid, taken < turn.last, changes == turn.changes, !mail.isEmpty else { return nil }
        // Read once, and given out with the message.
        let receiver = PortReceiver(delegate: delegate)
        guard receiver.delegate != nil else {
            hasDelegate = false
            return nil
        }
        guard let next = mail.popFirst() else { return nil }
        taken += 1
        if mail.isEmpty { nextReport = Self.highWaterMark }
        return Delivery(mail: next, receiver: receiver, admitted: admitSender())
    }

    /// Gives the room that has become free to the sender that has waited longest.
    private mutating func admitSender() -> PortSender? {
        if senders.isEmpty { return nil }
        let sender = senders.removeFirst()
        sender.outcome = .sent
        mail.append(sender.mail)
        return sender
    }

    mutating func endTurn() -> WakeUp {
        turn.depth -= 1
        isSignalled = false
        return wakeUp()
    }

    /// Ends the turns of the calling thread, which ends inside a delegate, if it has any.
    mutating func threadEnds() -> WakeUp {
        guard turn.depth > 0, turn.thread == switchyard_thread_token() else { return WakeUp() }
        turn = (0, 0)
        isSignalled = false
        return wakeUp()
    }
}

// MARK: - Schedules, and the end

extension PortState {
    enum Entry: Sendable {
        /// The port's loop receives in the new mode.
        case entered(WakeUp)
        /// The loop does not know of the port yet.
        case unattached(PortSchedule)
        case isInvalid
    }

    /// Adds a mode of a loop. `new` is used if the port has no schedule for it.
    mutating func enter(_ new: PortSchedule, _ mode: RunLoop.Mode) -> Entry {
        if !isValid { return .isInvalid }
        guard let known = schedules.first(where: { $0.loop === new.loop }) else {
            new.modes = [mode]
            schedules.append(new)
            return .unattached(new)
        }
        known.modes.insert(mode)
        guard let source = known.source else { return .unattached(known) }
        source.add(mode)
        // The loop may sleep in this mode, with messages that have waited for it.
        return .entered(wakeUp())
    }

    /// Lets the loop of `schedule` call `source` from now on; false if the loop has been left, or
    /// has a source.
    mutating func attach(_ schedule: PortSchedule, _ source: RunLoopSource) -> (Bool, WakeUp) {
        guard schedule.source == nil, schedules.contains(where: { $0 === schedule }) else {
            return (false, WakeUp())
        }
        schedule.source = source
        for mode in schedule.modes { source.add(mode) }
        return (true, wakeUp())
    }

    /// The modes of a schedule; none if its loop has been left.
    func modes(of schedule: PortSchedule) -> Set<RunLoop.Mode> {
        schedules.contains { $0 === schedule } ? schedule.modes : []
    }

    /// The number of the last message that waits.
    var lastNumber: UInt64 { taken + UInt64(mail.count) }

    /// The number of messages numbered up to `last` that wait for a loop that runs in one of
    /// `modes`, and for a delegate to hear them.
    func waiting(
        on schedule: PortSchedule, in modes: Set<RunLoop.Mode>, upTo last: UInt64
    ) -> Int {
        guard isValid, hasDelegate, last > taken,
            !self.modes(of: schedule).isDisjoint(with: modes)
        else { return 0 }
        return min(mail.count, Int(last - taken))
    }

    /// Removes a mode of a loop.
    ///
    /// - Returns: The loop's schedule, if that was its last mode.
    mutating func remove(_ mode: RunLoop.Mode, of loop: ObjectIdentifier) -> PortSchedule? {
        guard let index = schedules.firstIndex(where: { ObjectIdentifier($0.loop) == loop }),
            schedules[index].modes.remove(mode) != nil
        else { return nil }
        changes += 1
        schedules[index].source?.remove(mode)
        return schedules[index].modes.isEmpty ? schedules.remove(at: index) : nil
    }

    /// Makes the port invalid; nil if it was.
    mutating func end() -> End? {
        if !isValid { return nil }
        isValid = false
        for sender in senders { sender.outcome = .portIsInvalid }
        defer {
            senders = []
            schedules = []
            mail = FIFO()
        }
        return End(senders: senders, schedules: schedules, mail: mail)
    }
}
