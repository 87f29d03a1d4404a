// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardConsole
internal import SwitchyardDistributed

/// Posts the printed lines to other processes as well, in the same order.
struct LinePublisher: ~Copyable {
    private let center: DistributedNotificationCenter
    private let backpressure: Backpressure
    private let name: Notification.Name
    private var saidFailure = false

    /// - Parameter patience: the longest time to wait for a process that reads nothing.
    init(
        _ center: DistributedNotificationCenter, name: String, patience: TimeLimit
    ) {
        self.center = center
        self.name = Notification.Name(name)
        backpressure = Backpressure(center, patience: patience, .tail)
    }

    /// Posts a line about its file, with the file and the line in `userInfo`. If the line is not
    /// UTF-8, `line` has replacement characters, and `lineData` has the bytes.
    mutating func publish(_ message: LinePosted) {
        var info: [String: Any] = ["file": message.file.name, "line": message.line.text]
        if let data = message.line.dataIfNotText { info["lineData"] = data }
        do {
            try center.post(
                name: name, object: message.file.name,
                payload: try DistributedPayload(userInfo: info))
        } catch {
            if !saidFailure { StandardErrorLog.tail.say("lines can't be posted: \(error)") }
            saidFailure = true
        }
        backpressure.didPost(bytes: message.line.count)
    }

    /// Waits until everything has left this process.
    ///
    /// - Returns: Whether everything has left. If not, the reason was reported.
    func finish() -> Bool { backpressure.finish() && !saidFailure }
}
