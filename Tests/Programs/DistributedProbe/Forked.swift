// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed

// Swift marks its own declaration of fork unavailable. The tests need a child that goes on without
// exec.
@_silgen_name("fork") private func forkProcess() -> Int32

/// A child that was forked, and goes on without exec.
enum Forked {
    /// Forks, and returns the child's report, line by line. The last line is the child's process
    /// number.
    static func run(
        _ center: DistributedNotificationCenter, stays: Bool
    ) throws -> [String] {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ProbeError("no pipe") }
        let child = forkProcess()
        if child == 0 {
            close(ends[0])
            inChild(center, ends[1])
            while stays { pause() }
            _exit(0)
        }
        close(ends[1])
        defer { close(ends[0]) }
        let lines = read(ends[0])
        if !stays {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        return lines + ["\(child)"]
    }

    /// Forks children, each of which makes a center of its own and lets it go, while another thread
    /// posts to the parent's.
    ///
    /// - Returns: A line for each child that did not end within 20 seconds.
    static func end(
        _ times: Int, in domain: String, besides center: DistributedNotificationCenter
    ) throws -> [String] {
        let isOver = Flag()
        let posting = Thread {
            let name = Notification.Name("in the parent")
            while !isOver.isSet { center.post(name: name, object: nil) }
        }
        posting.start()
        defer { isOver.set() }
        try joinOnce(domain, beside: center)
        var hung: [String] = []
        for _ in 0..<times {
            let child = forkProcess()
            if child == 0 {
                var own = try? DistributedNotificationCenter(domain: domain)
                let isConnected = own?.isConnected == true
                own = nil
                _exit(isConnected ? 0 : 1)
            }
            let end = ContinuousClock.now + .seconds(20)
            while waitpid(child, nil, WNOHANG) == 0 {
                usleep(1_000)
                if ContinuousClock.now < end { continue }
                hung.append("\(child) did not end")
                kill(child, SIGKILL)
                waitpid(child, nil, 0)
                break
            }
        }
        return hung
    }

    /// Makes another center in this process and lets it go, as each child will.
    ///
    /// Swift's runtime holds a lock while it makes a type's tables for the first time. A child that
    /// is forked at that moment finds the lock held for ever, whatever a center does.
    private static func joinOnce(
        _ domain: String, beside center: DistributedNotificationCenter
    ) throws {
        let others = center.peers.count
        var own: DistributedNotificationCenter? = try DistributedNotificationCenter(domain: domain)
        for _ in 0..<20_000 where center.peers.count == others { usleep(1_000) }
        withExtendedLifetime(own) {}
        own = nil
        for _ in 0..<20_000 where center.peers.count > others { usleep(1_000) }
    }

    private static func inChild(_ parents: DistributedNotificationCenter, _ output: Int32) {
        @Sendable func say(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            write(output, bytes, bytes.count)
        }
        parents.onProblem { say("problem: \($0)") }
        parents.post(name: Notification.Name("from the child"), object: nil, userInfo: nil)
        say("parent's: \(parents.blockUntilReady(within: .seconds(20)).count)")
        let own = DistributedNotificationCenter.default()
        say("another: \(own !== parents)")
        say("connected: \(parents.isConnected), \(own.isConnected)")
        own.onProblem { say("own problem: \($0)") }
        let token = own.observe(undecoded: Notification.Name("to the child"), on: .poster) {
            say("heard: \(try Entry($0).number ?? -1)")
        }
        say("ready: \(own.blockUntilReady(within: .seconds(20)).count)")
        own.post(name: Notification.Name("from the child"), object: nil, userInfo: ["n": 1])
        own.post(name: Notification.Name("to the child"), object: nil, userInfo: ["n": 2])
        say("flushed: \(own.blockUntilFlushed(within: .seconds(20)).count)")
        withExtendedLifetime(token) {}
        say("end")
        close(output)
    }

    /// Reads the child's report, for a minute at most.
    private static func read(_ input: Int32) -> [String] {
        var text: [UInt8] = []
        var byte: UInt8 = 0
        var entry = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 30_000) > 0, Glibc.read(input, &byte, 1) == 1 {
            text.append(byte)
            if text.suffix(5) == Array("\nend\n".utf8) { break }
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// Replaces this program by another, whose standard input and output are the same.
func becomeAnother(_ program: String) throws {
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
    execv(program, &arguments)
    throw ProbeError("exec: \(String(cString: strerror(errno)))")
}
