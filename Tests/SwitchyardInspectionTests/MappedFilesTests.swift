// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@testable import SwitchyardInspection

#if os(Linux)
@Suite("Files that processes have mapped", .timeLimit(.minutes(2))) struct MappedFilesTests {
    /// A copy of a system's program, which waits until its standard input ends.
    private func copyOfCat() throws -> (path: String, folder: String) {
        let folder = NSTemporaryDirectory() + "switchyard mapped \(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // The system's program may be a link.
        let source = URL(fileURLWithPath: "/bin/cat").resolvingSymlinksInPath().path
        try FileManager.default.copyItem(atPath: source, toPath: folder + "/cat")
        return (URL(fileURLWithPath: folder + "/cat").resolvingSymlinksInPath().path, folder)
    }

    @Test func `A program that was built anew is read as it was when it was started`() throws {
        let (path, folder) = try copyOfCat()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = Pipe()
        try process.run()
        let number = process.processIdentifier
        func contents() throws -> Data {
            let readable = try #require(MappedFiles(of: number).readablePath(of: path))
            return try Data(contentsOf: URL(fileURLWithPath: readable))
        }
        #expect(MappedFiles(of: number).readablePath(of: path) == path)
        let old = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        try Data("another program".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try contents() == old)
        #expect(MappedFiles.program(of: number) == path)
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        // Nobody knows the old file any more, and not either that there was one.
        #expect(MappedFiles(of: number).readablePath(of: path) == path)
    }

    @Test func `A library that was replaced is not read, and others are`() throws {
        let path = NSTemporaryDirectory() + "switchyard mapped \(UUID().uuidString).so"
        try Data(repeating: 0, count: 4096).write(to: URL(fileURLWithPath: path))
        let file = open(path, O_RDONLY)
        let memory = try #require(mmap(nil, 4096, PROT_READ, MAP_PRIVATE, file, 0))
        close(file)
        defer { munmap(memory, 4096) }
        let own = getpid()
        let known = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        #expect(MappedFiles.path(at: UInt(bitPattern: memory) + 100, in: own) == known)
        #expect(MappedFiles(of: own).readablePath(of: known) == known)
        try FileManager.default.removeItem(atPath: path)
        #expect(MappedFiles(of: own).readablePath(of: known) == nil)
        #expect(MappedFiles(of: own).readablePath(of: "/never/mapped") == nil)
        #expect(MappedFiles.path(at: 1, in: own) == nil)
    }
}
#endif
