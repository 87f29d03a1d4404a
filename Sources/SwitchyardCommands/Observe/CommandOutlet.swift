// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardCore
internal import SwitchyardDistributed
internal import SwitchyardWire
internal import Synchronization

/// Runs a command for each notification, one after another.
final class CommandOutlet: NotificationOutlet {
    /// A notification, in the form that the command receives.
    private struct Job {
        let name: String
        let object: String?
        let sender: Int32
        let json: [UInt8]
    }

    /// The number of bytes that may wait for their commands.
    private static let mostWaiting = 64 * 1024 * 1024

    private let command: ShellCommand
    private let printer: NotificationPrinter
    private let jobs = BatchChannel([Job](), limit: mostWaiting)
    private let isQuiet: Bool
    private let taken = Atomic<Int>(0)
    private let run = Atomic<Int>(0)
    private let notRun = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    /// Whether the waiting jobs are not to be run any more.
    private let hasGivenUp = Atomic<Bool>(false)
    /// The number of the command that ran when a signal came, as counted by ``run``; 0 if none did.
    private let interrupted = Atomic<Int>(0)
    /// Raised when a signal of the system has come.
    private let signalCame = ThreadSignal()

    init(_ command: String, _ printer: NotificationPrinter, isQuiet: Bool) throws(SystemError) {
        self.command = try ShellCommand(command)
        self.printer = printer
        self.isQuiet = isQuiet
    }

    func take(_ notification: ReceivedNotification) -> Bool {
        var text = ByteWriter()
        printer.print(notification, to: &text)
        let job = Job(
            name: notification.name.rawValue, object: notification.object,
            sender: notification.sender.processIdentifier, json: text.withBytes { Array($0) })
        return jobs.give { jobs in
            jobs.append(job)
            taken.wrappingAdd(1, ordering: .relaxed)
            return job.json.count
        }
    }

    func run(orEnd end: @escaping @Sendable (ObserveSession.End) -> Void) {
        var batch: [Job] = []
        while jobs.take(&batch) {
            for job in batch {
                if hasGivenUp.load(ordering: .relaxed) {
                    notRun.wrappingAdd(1, ordering: .relaxed)
                } else {
                    perform(job)
                }
            }
            batch.removeAll()
        }
    }

    private func perform(_ job: Job) {
        let number = run.wrappingAdd(1, ordering: .relaxed).newValue
        let environment = [
            "SWITCHYARD_NAME": job.name, "SWITCHYARD_OBJECT": job.object,
            "SWITCHYARD_SENDER_PID": "\(job.sender)",
        ]
        let complaint: String
        do {
            guard let failure = try command.run(environment, input: job.json) else { return }
            if isForUsToo(failure.signal) { awaitSignal(at: number) }
            complaint = failure.complaint
        } catch {
            complaint = "can't be started: \(error)"
        }
        if wasStopped(number) { return }
        failed.wrappingAdd(1, ordering: .relaxed)
        StandardErrorLog.observe.say("the command for \"\(job.name)\" \(complaint)")
    }

    /// Whether a signal that ended a command may have been sent to this process as well: to a whole
    /// group of processes, as with Ctrl-C.
    private func isForUsToo(_ signal: Int32) -> Bool {
        [SIGHUP, SIGINT, SIGQUIT, SIGTERM].contains(signal)
    }

    /// Waits for a signal that has ended a command first; not for long, because it may not come.
    private func awaitSignal(at number: Int) {
        let end = ContinuousClock.now + .milliseconds(500)
        // An earlier signal may end the first wait.
        while !wasStopped(number), signalCame.wait(until: end) {}
    }

    /// Whether a command was terminated, or received the same Ctrl-C as this process: it has not
    /// failed.
    private func wasStopped(_ number: Int) -> Bool {
        hasGivenUp.load(ordering: .relaxed) || number == interrupted.load(ordering: .relaxed)
    }

    func end(_ reason: ObserveSession.End, _ signal: Int32) {
        // The sender of SIGTERM wants the process to end soon.
        if signal == SIGTERM { return giveUp(signal) }
        // Ctrl-C at a terminal also reaches the running command.
        if reason == .signal {
            interrupted.store(run.load(ordering: .relaxed), ordering: .relaxed)
            signalCame.raise()
        }
        jobs.end()
        // Commands usually still run when the count is reached, which is not worth a message.
        if reason != .counted { sayWhatIsLeft() }
    }

    /// The commands go on when the time is over, as those that a time limit alone leaves.
    func hurry(_ reason: ObserveSession.End, _ signal: Int32) {
        guard reason == .signal else { return }
        if signal != SIGHUP { return giveUp(signal) }
        // A terminal that goes takes the running command with it.
        interrupted.store(run.load(ordering: .relaxed), ordering: .relaxed)
        signalCame.raise()
    }

    func giveUp(_ signal: Int32) {
        hasGivenUp.store(true, ordering: .relaxed)
        signalCame.raise()
        jobs.end()
        command.terminate()
    }

    private func sayWhatIsLeft() {
        let left = taken.load(ordering: .relaxed) - run.load(ordering: .relaxed)
        if left == 0 || isQuiet { return }
        StandardErrorLog.observe.say("ending: \(Self.commands(left)) to be run; Ctrl-C gives up")
    }

    var summary: String {
        "run: \(run.load(ordering: .relaxed)), not run: \(notRun.load(ordering: .relaxed)), "
            + "failed: \(failed.load(ordering: .relaxed))"
    }

    var failure: String? {
        let (run, notRun) = (run.load(ordering: .relaxed), notRun.load(ordering: .relaxed))
        let failed = failed.load(ordering: .relaxed)
        var words: [String] = []
        if failed > 0 { words.append("\(failed) of \(Self.commands(run)) failed") }
        if notRun > 0 { words.append("\(Self.commands(notRun)) not run") }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    private static func commands(_ count: Int) -> String {
        count == 1 ? "1 command" : "\(count) commands"
    }
}
