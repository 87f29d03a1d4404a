// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardDistributed
internal import Synchronization

/// Runs a command for each notification, one after another.
final class CommandOutlet: NotificationOutlet {
    /// A notification, as the command gets it.
    private struct Job {
        let name: String
        let object: String?
        let sender: Int32
        let json: [UInt8]
    }

    /// How much may wait for its command.
    private static let mostWaiting = 64 * 1024 * 1024

    private let command: ShellCommand
    private let printer: NotificationPrinter
    private let jobs = Handover([Job](), limit: mostWaiting)
    private let run = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    /// Whether what waits is not to be run any more.
    private let isStopped = Atomic<Bool>(false)
    private let isInterrupted = Atomic<Bool>(false)

    init(_ command: String, _ printer: NotificationPrinter) {
        self.command = ShellCommand(command)
        self.printer = printer
    }

    func take(_ notification: ReceivedNotification) -> Bool {
        var text = ByteWriter()
        printer.print(notification, to: &text)
        let job = Job(
            name: notification.name.rawValue, object: notification.object,
            sender: notification.sender.processIdentifier, json: text.withBytes { Array($0) })
        return jobs.give { jobs in
            jobs.append(job)
            return job.json.count
        }
    }

    func run(orEnd end: @escaping @Sendable (ObserveSession.End) -> Void) {
        var batch: [Job] = []
        while jobs.take(&batch) {
            for job in batch where !isStopped.load(ordering: .relaxed) { perform(job) }
            batch.removeAll()
        }
    }

    private func perform(_ job: Job) {
        run.wrappingAdd(1, ordering: .relaxed)
        let environment = [
            "SWITCHYARD_NAME": job.name, "SWITCHYARD_OBJECT": job.object,
            "SWITCHYARD_SENDER_PID": "\(job.sender)",
        ]
        let complaint: String?
        do {
            complaint = try command.run(environment, input: job.json)
        } catch {
            complaint = "can't be started: \(error)"
        }
        // One that was asked to end, or got the same Ctrl-C, has not failed.
        guard let complaint, !isInterrupted.load(ordering: .relaxed) else { return }
        failed.wrappingAdd(1, ordering: .relaxed)
        Notices.observe.say("the command for \"\(job.name)\" \(complaint)")
    }

    func end(_ reason: ObserveSession.End, _ signal: Int32) {
        // Those that were counted are run, all of them.
        if reason != .counted { isStopped.store(true, ordering: .relaxed) }
        if reason == .signal { isInterrupted.store(true, ordering: .relaxed) }
        jobs.end()
        // Ctrl-C reaches the command as well; this only this process.
        if signal == SIGTERM { command.terminate() }
    }

    var summary: String {
        "run: \(run.load(ordering: .relaxed)), failed: \(failed.load(ordering: .relaxed))"
    }

    var failure: String? {
        let count = failed.load(ordering: .relaxed)
        return count == 0 ? nil : "\(count) of \(run.load(ordering: .relaxed)) commands failed"
    }
}
