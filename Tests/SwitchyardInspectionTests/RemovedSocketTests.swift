// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

@testable import SwitchyardInspection

@Suite("Inspection after the socket was removed", .timeLimit(.minutes(4)))
struct RemovedSocketTests {
    // The test runs in a process of its own, whose environment names a folder for it alone.
    @Test func `A process whose socket was removed can be found after it listens again`() async {
        await #expect(processExitsWith: .success) {
            let folder = NSTemporaryDirectory() + "switchyard-" + UUID().uuidString.prefix(8)
            let files = FileManager.default
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            defer { try? files.removeItem(atPath: folder) }
            setenv("SWITCHYARD_RUNTIME_DIR", folder, 1)
            setenv("SWITCHYARD_INSPECT", "1", 1)
            let sockets = folder + "/switchyard/.inspect"
            func names() throws -> [String] { try files.contentsOfDirectory(atPath: sockets) }
            #expect(Inspection.listen())
            let first = try names()
            #expect(first.count == 1)
            // Another call changes nothing while the socket is there.
            #expect(Inspection.listen())
            #expect(try names() == first)
            try files.removeItem(atPath: sockets + "/" + first[0])
            #expect(Inspection.listen())
            #expect(try names().count == 1)
            #expect(try InspectableProcess.all(within: .seconds(60)).count == 1)
            try files.removeItem(atPath: sockets)
            #expect(Inspection.listen())
            #expect(try InspectableProcess.all(within: .seconds(60)).count == 1)
            // Another file of the name is not the socket.
            let name = try names()[0]
            try files.removeItem(atPath: sockets + "/" + name)
            #expect(files.createFile(atPath: sockets + "/" + name, contents: nil))
            #expect(Inspection.listen())
            #expect(try names().filter { $0 != name }.count == 1)
            Inspection.stopListening()
        }
    }
}
