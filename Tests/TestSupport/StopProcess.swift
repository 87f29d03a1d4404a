// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation

/// Stops a process with `SIGSTOP`, and waits until all of its threads have stopped. They go on for
/// a moment after the signal: a server may still answer what it is sent then.
package func stopProcess(_ identifier: pid_t) {
    kill(identifier, SIGSTOP)
    while !hasStopped(identifier) { usleep(200) }
}

/// Whether all threads of a process have stopped. A process that has ended counts as stopped.
private func hasStopped(_ identifier: pid_t) -> Bool {
    let tasks = "/proc/\(identifier)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return threads.allSatisfy { thread in
        guard let status = try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8),
            let name = status.lastIndex(of: ")")
        else { return true }
        return "TtZX".contains(status[name...].dropFirst(2).first ?? "X")
    }
}
