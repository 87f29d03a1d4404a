// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyard
import Foundation
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// The watch of a member's socket and of the folders that it is in.
@Suite("The watch of an address", .timeLimit(.minutes(5)))
struct AddressWatchTests {
    /// A published socket with a watch, in `root/session/switchyard/domain/address`.
    private final class Scene {
        let root = NSTemporaryDirectory() + "switchyard-" + UUID().uuidString.prefix(8)
        let session: String
        let base: String
        let domain: String
        let socket: String
        private let network: UnixNetwork
        private let listener: Int32
        private let watch: Int32

        init() throws {
            session = root + "/session"
            base = session + "/switchyard"
            domain = base + "/domain"
            socket = domain + "/address"
            try FileManager.default.createDirectory(
                atPath: session, withIntermediateDirectories: true)
            network = UnixNetwork(try RuntimeFolder(base: base, name: "domain"))
            listener = try network.listen(as: "address")
            try network.publish("address")
            watch = switchyard_watch_create()
            try #require(network.watch("address", with: watch))
        }

        deinit {
            close(watch)
            close(listener)
            try? FileManager.default.removeItem(atPath: root)
        }

        /// Whether the watch has an event. The system adds events before the call that causes them
        /// returns.
        var hasEvent: Bool {
            var entry = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) > 0
        }
    }

    @Test(.rule(35))
    func `A leftover of an earlier attempt does not keep a member from its folder`()
        throws
    {
        let base = NSTemporaryDirectory() + "switchyard-" + UUID().uuidString.prefix(8)
        defer { try? FileManager.default.removeItem(atPath: base) }
        let network = UnixNetwork(try RuntimeFolder(base: base, name: "domain"))
        close(try network.listen(as: "member"))
        let listener = try network.listen(as: "member")
        try network.publish("member")
        #expect(network.isFound(as: "member"))
        close(listener)
    }

    @Test(.rule(35), .enabled(if: isLinux))
    func `Changes of other entries in the folders are no events`() throws {
        let scene = try Scene()
        for folder in [scene.session, scene.base, scene.domain] {
            let other = folder + "/other"
            #expect(FileManager.default.createFile(atPath: other, contents: Data()))
            #expect(utimes(other, nil) == 0)
            #expect(chmod(other, 0o600) == 0)
            #expect(chown(other, geteuid(), getegid()) == 0)
            #expect(rename(other, other + "-moved") == 0)
            #expect(unlink(other + "-moved") == 0)
            #expect(!scene.hasEvent)
        }
    }

    enum Removal: String, CaseIterable {
        case socketRemoved, socketMoved, domainMoved, baseMoved, sessionMoved, allRemoved
    }

    @Test(.rule(35), .enabled(if: isLinux), arguments: Removal.allCases)
    func `The removal of the socket, or of a folder above it, is an event`(
        removal: Removal
    ) throws {
        let scene = try Scene()
        #expect(!scene.hasEvent)
        switch removal {
        case .socketRemoved: #expect(unlink(scene.socket) == 0)
        case .socketMoved: #expect(rename(scene.socket, scene.domain + "/other") == 0)
        case .domainMoved: #expect(rename(scene.domain, scene.domain + "-moved") == 0)
        case .baseMoved: #expect(rename(scene.base, scene.base + "-moved") == 0)
        case .sessionMoved: #expect(rename(scene.session, scene.session + "-moved") == 0)
        case .allRemoved: try FileManager.default.removeItem(atPath: scene.session)
        }
        #expect(scene.hasEvent)
    }

    private static var isLinux: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }
}
