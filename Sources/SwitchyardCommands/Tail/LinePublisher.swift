// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardDistributed

/// Posts the printed lines to other processes as well, in the same order.
struct LinePublisher: ~Copyable {
    private let center: DistributedNotificationCenter
    private let outflow: Outflow
    private let name: Notification.Name
    private var info: InfoWriter
    private var saidFailure = false

    /// - Parameter patience: the longest time to wait for a process that reads nothing.
    init(
        _ center: DistributedNotificationCenter, name: String, patience: TimeLimit
    ) throws {
        self.center = center
        self.name = Notification.Name(name)
        info = try InfoWriter()
        outflow = Outflow(center, patience: patience, .tail)
    }

    /// Posts a line about its file, with the file and the line in `userInfo`.
    mutating func publish(_ message: LinePosted) {
        message.file.utf8Name.withUnsafeBytes { info.add("file", string: $0) }
        info.add(message.line)
        do {
            try center.post(
                name: name, object: message.file.name, payload: try info.take())
        } catch {
            if !saidFailure { Notices.tail.say("lines can't be posted: \(error)") }
            saidFailure = true
        }
        outflow.didPost(bytes: message.line.count)
    }

    /// Waits until everything has left this process.
    ///
    /// - Returns: Whether everything has left. If not, the reason was reported.
    func finish() -> Bool { outflow.finish() && !saidFailure }
}
