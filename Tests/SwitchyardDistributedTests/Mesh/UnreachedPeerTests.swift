// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyard
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// Peers that live and can't be connected to, such as a stopped process whose queue of connections
/// is full.
@Suite("Peers that can't be reached", .timeLimit(.minutes(5)))
struct UnreachedPeerTests {
    @Test(.rule(36))
    func `A peer that can't be connected to now counts as one that does not answer`()
        async throws
    {
        let network = ScriptedNetwork(busy: ["full"])
        let center = try network.center()
        _ = try center.post(name: Notification.Name("A"), payload: .none)
        let peer = try #require(center.peers.first)
        #expect(peer.peer.id == "full")
        #expect(peer.interests == nil)
        #expect(peer.queuedBytes > 0)
        #expect(await center.waitUntilReady(within: .milliseconds(10)).map(\.id) == ["full"])
        #expect(await center.waitUntilFlushed(within: .milliseconds(10)).map(\.id) == ["full"])
    }

    @Test(.rule(36))
    func `A peer that a permission keeps away is reported once, and tried again`() async throws {
        let network = ScriptedNetwork()
        let problems = Log<String>()
        let center = try network.center()
        center.onProblem { problems.add($0.description) }
        let id = PeerID.random()
        let walled = id.description
        network.refusals.withLock { $0[walled] = EACCES }
        let caller = network.call()
        caller.greet(id: id, address: walled)
        #expect(await until { network.dialled.filter { $0 == walled }.count > 3 })
        #expect(problems.entries.count == 1)
        #expect(problems.entries.first?.contains("memory/\(walled)") == true)
        #expect(problems.entries.first?.contains("Permission denied") == true)
        // The permission is set right.
        network.admit(walled)
        network.refusals.withLock { $0[walled] = nil }
        #expect(await until { network.peer(walled) != nil })
        withExtendedLifetime((center, caller)) {}
    }

    @Test func `A wait with a time limit that no clock can add up is a long one`() async throws {
        let network = ScriptedNetwork(busy: ["full"])
        let center = try network.center()
        _ = try center.post(name: Notification.Name("A"), payload: .none)
        let wait = Task { await center.waitUntilReady(within: .seconds(Int64.max)) }
        // The loop is long enough for the other task to begin its wait.
        #expect(await center.waitUntilReady(within: .milliseconds(50)).map(\.id) == ["full"])
        wait.cancel()
        #expect(await wait.value.map(\.id) == ["full"])
    }

    @Test func `The system is asked once for the process behind a peer that can't be connected to`()
        throws
    {
        let network = ScriptedNetwork(busy: ["full"])
        let center = try network.center()
        let searches = Atomic<Int>(0)
        network.onSearch.withLock { hook in
            hook = { _ in
                searches.wrappingAdd(1, ordering: .relaxed)
                return 0
            }
        }
        for _ in 1...3 { #expect(center.peers.map(\.peer.processName) == ["?"]) }
        #expect(searches.load(ordering: .relaxed) == 1)
    }

    @Test func `Notifications arrive while the system is asked for the process behind a peer`()
        throws
    {
        let network = ScriptedNetwork(busy: ["full"])
        let center = try network.center()
        let caller = network.call()
        caller.greet()
        #expect(caller.hear(until: .sync)?.type == .sync)
        let answer = DispatchSemaphore(value: 0)
        network.onSearch.withLock { hook in
            hook = { _ in
                answer.wait()
                return 0
            }
        }
        caller.say { frames in
            frames.frame(.status, 1)
            frames.frame(.ping, 2)
        }
        // The answer to PING comes from the thread that delivers.
        #expect(caller.hear()?.type == .pong)
        answer.signal()
        #expect(caller.hear()?.type == .report)
        withExtendedLifetime(center) {}
    }

    @Test func `The process that listens at a socket is found by the socket's name`() throws {
        let folder = NSTemporaryDirectory() + "switchyard-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // The sockets are as many as on a desktop, so that the kernel's table is longer than one
        // page.
        let others = try (0..<100).map { _ in
            var ends: [Int32] = [-1, -1]
            try #require(switchyard_socket_pair(&ends) == 0)
            return ends
        }
        defer { for end in others.joined() { close(end) } }
        let name = "." + PeerID.random().description
        let listener = switchyard_socket_listen(-1, folder, name)
        defer { close(listener) }
        #expect(listener >= 0)
        // Connections that were not accepted stand in the table too.
        let callers = (0..<9).map { _ in switchyard_socket_connect(-1, folder, name) }
        defer { for caller in callers { close(caller) } }
        #expect(callers.allSatisfy { $0 >= 0 })
        #expect(SystemProcess.listening(at: name) == getpid())
        #expect(SystemProcess.listening(at: "nobody's") == 0)
        #expect(SystemProcess.name(of: getpid()) != "?")
        #expect(SystemProcess.name(of: 0) == "?")
    }

    @Test(
        .rule(39),
        arguments: [
            ("plain", "plain"), ("Größe 🚉", "Größe 🚉"), ("a\nb\u{1b}[31m", "a\\nb\\u001b[31m"),
            ("\u{85}\u{7f}\u{2028}\u{202e}\t", "\\u0085\\u007f\\u2028\\u202e\\t"),
        ])
    func `Texts of other processes are shown in one line, without control characters`(
        text: String, shown: String
    ) {
        #expect(text.shown == shown)
        let peer = DistributedPeer(id: "", processIdentifier: 1, processName: text)
        #expect(peer.description == "\(shown) (1)")
        #expect(PeerSaidBye(reason: text).description == "it ended the connection: \(shown)")
    }

    @Test(.rule(39)) func `A reason of one character without end is shortened`() {
        let reason = PeerSaidBye(reason: "e" + String(repeating: "\u{301}", count: 30_000))
        #expect(reason.description.utf8.count < 2_000)
        #expect("abc".shortened(to: 3) == "abc")
        #expect("abcd".shortened(to: 3) == "abc…")
        #expect("".shortened(to: 0).isEmpty)
    }
}
