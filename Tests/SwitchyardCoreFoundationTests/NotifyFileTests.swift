// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardCoreFoundation

/// The files that processes share: their names, their removal, and their replacement.
@Suite("The files of Darwin notifications", .timeLimit(.minutes(5)))
struct NotifyFileTests {
    private let world = NotifyWorld()

    @Test func `Any bytes make a name, and different names have different files`() throws {
        let (one, other) = (world.table(), world.table())
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: NotifyName.longest)
        let names: [[UInt8]] = [
            [0xff, 0xfe], [0xff], Array("..".utf8), Array("a/b".utf8), Array("a%2Fb".utf8), long,
            long.dropLast() + [UInt8(ascii: "y")], [UInt8](repeating: 0xff, count: 300), [1],
        ]
        let pairs = try names.map { bytes in
            let name = try NotifyName(bytes)
            return (name, try one.register(name, .none), try other.register(name, .none))
        }
        #expect(try world.files.count == names.count)
        for (index, (_, token, _)) in pairs.enumerated() { try one.setState(token, UInt64(index)) }
        for (index, (name, token, others)) in pairs.enumerated() {
            #expect(try other.getState(others) == index)
            #expect(try other.check(others))
            try one.post(name)
            #expect(try other.check(others))
            try one.cancel(token)
            try other.cancel(others)
        }
        #expect(try world.files.isEmpty)
    }

    @Test func `Impossible names are refused`() throws {
        #expect(throws: NotifyError.invalidName) { try NotifyName([]) }
        #expect(throws: NotifyError.invalidName) { try NotifyName([1, 0, 2]) }
        #expect(throws: NotifyError.invalidName) {
            try NotifyName([UInt8](repeating: 1, count: NotifyName.longest + 1))
        }
        #expect(throws: NotifyError.notAuthorized) { try notifyName("user.uid.\(geteuid() + 1).x") }
        _ = try notifyName("user.uid.\(geteuid()).x")
        _ = try notifyName("user.uid.\(geteuid())")
    }

    @Test func `Processes that register and leave at once agree on the record`() async throws {
        let name = try notifyName("melee")
        let world = world
        let keeper = world.table()
        for _ in 0..<50 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        await onOwnThread {
                            let table = world.table()
                            for _ in 0..<5 {
                                guard let token = try? table.register(name, .none) else {
                                    Issue.record("not registered")
                                    return
                                }
                                _ = try? table.check(token)
                                try? table.post(name)
                                #expect((try? table.check(token)) == true)
                                try? table.cancel(token)
                            }
                        }
                    }
                }
            }
            #expect(try world.files.isEmpty)
            let token = try keeper.register(name, .none)
            #expect(try keeper.getState(token) == 0)
            try keeper.cancel(token)
        }
    }

    @Test func `A name whose file was removed gets another, with its state`() async throws {
        let (one, other) = (world.table(), world.table())
        let name = try notifyName("removed")
        let calls = NotifyCalls()
        let token = try one.register(name, calls.delivery())
        try one.setState(token, 11)
        _ = try one.check(token)
        // The folder is removed under another name, where no process makes files meanwhile.
        let gone = world.path + "-gone"
        try FileManager.default.moveItem(atPath: world.path, toPath: gone)
        try FileManager.default.removeItem(atPath: gone)
        #expect(await until { FileManager.default.fileExists(atPath: world.file("removed")) })
        // The call waits until the file has its state.
        #expect(try one.getState(token) == 11)
        let others = try other.register(name, .none)
        #expect(try other.getState(others) == 11)
        // The new file counts as a post.
        #expect(await calls.log.arrival(of: 1) == [token])
        #expect(try one.check(token))
        #expect(try !one.check(token))
        try other.post(name)
        #expect(await calls.log.arrival(of: 2) == [token, token])
        #expect(try one.check(token))
        #expect(try !one.check(token))
    }

    @Test func `A registration in a folder that was moved ends there, not in the new one`() throws {
        let (one, other) = (world.table(), world.table())
        let name = try notifyName("moved")
        let token = try one.register(name, .none)
        let moved = world.path + "-moved"
        try FileManager.default.moveItem(atPath: world.path, toPath: moved)
        defer { try? FileManager.default.removeItem(atPath: moved) }
        _ = try other.register(name, .none)
        try one.cancel(token)
        #expect(try world.files == ["moved"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: moved + "/.notify").isEmpty)
    }

    @Test func `The files of a folder share one descriptor of it`() throws {
        let (table, folder) = (world.table(), try world.folder())
        for number in 0..<10 { _ = try table.register(notifyName("shared \(number)"), .none) }
        // The two descriptors are the table's and this test's.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
            let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\($0)")
            return path == world.path + "/.notify"
        }
        #expect(open.count == 2)
        withExtendedLifetime(folder) {}
    }

    @Test func `A file that was left is free, although a forked child has it open`() throws {
        let file = try NotifyFile.join(notifyName("left"), in: world.folder())
        let childs = dup(file.descriptor)
        // Another process has opened the file, and waits for its lock.
        let others = open(world.file("left"), O_RDWR)
        defer {
            close(childs)
            close(others)
        }
        file.leave()
        #expect(flock(others, LOCK_SH | LOCK_NB) == 0)
    }

    @Test func `A post that nobody checked for is not lost with its file`() throws {
        let table = world.table()
        let name = try notifyName("unchecked")
        let token = try table.register(name, .none)
        try table.post(name)
        #expect(try table.check(token))
        try table.post(name)
        try FileManager.default.removeItem(atPath: world.file("unchecked"))
        // The new file's count is to be what the last check has seen of the old one.
        try table.post(name)
        #expect(try table.check(token))
        #expect(try !table.check(token))
    }

    // MARK: - Files that are being made

    @Test(arguments: [true, false])
    func `A post leaves a file alone that another process is making`(isLocked: Bool) throws {
        let problems = Log<String>()
        let (one, other) = (world.table(), world.table(reportingTo: problems))
        let name = try notifyName("begun")
        _ = try world.folder()
        let begun = open(world.file("begun"), O_RDWR | O_CREAT, 0o600)
        defer { close(begun) }
        if isLocked { #expect(flock(begun, LOCK_EX | LOCK_NB) == 0) }
        try one.post(name)
        #expect(try world.files == ["begun"])
        // The lock is free as before.
        #expect(flock(begun, LOCK_EX | LOCK_NB) == 0)
        #expect(flock(begun, LOCK_UN) == 0)
        _ = try other.register(name, .none)
        #expect(problems.entries.isEmpty)
    }

    @Test func `A file has its record from the moment at which it has its name`() throws {
        let name = try notifyName("whole")
        let folder = try world.folder()
        let path = world.file("whole")
        let isOver = Atomic<Bool>(false)
        let empty = Atomic<Int>(0)
        let looking = Thread {
            while !isOver.load(ordering: .relaxed) {
                let file = open(path, O_RDONLY)
                if file < 0 { continue }
                if lseek(file, 0, SEEK_END) == 0 { empty.wrappingAdd(1, ordering: .relaxed) }
                close(file)
            }
        }
        looking.start()
        for _ in 0..<5_000 { try NotifyFile.join(name, in: folder).leave() }
        isOver.store(true, ordering: .relaxed)
        #expect(empty.load(ordering: .relaxed) == 0)
    }

    @Test func `Posts while others register and leave damage no registration`() async throws {
        let name = try notifyName("crowd")
        let problems = Log<String>()
        let world = world
        let isOver = Atomic<Bool>(false)
        let poster = world.table(reportingTo: problems)
        let posting = Thread {
            while !isOver.load(ordering: .relaxed) {
                do { try poster.post(name) } catch { problems.add("\(error)") }
            }
        }
        posting.start()
        let (table, calls) = (world.table(reportingTo: problems), NotifyCalls())
        for _ in 0..<5_000 {
            let token = try table.register(name, calls.delivery())
            try table.cancel(token)
        }
        isOver.store(true, ordering: .relaxed)
        #expect(problems.entries.isEmpty)
    }

    @Test func `A registration whose file goes before it is watched gets another`() async throws {
        let calls = NotifyCalls()
        let attempts = Atomic<Int>(0)
        let (name, path) = (try notifyName("fleeting"), world.file("fleeting"))
        let table = world.table(watchingWith: { () throws(NotifyError) in
            if attempts.wrappingAdd(1, ordering: .relaxed).oldValue == 0 { unlink(path) }
            return try NotifyWatch()
        })
        let token = try table.register(name, calls.delivery())
        #expect(attempts.load(ordering: .relaxed) == 2)
        try world.table().post(name)
        #expect(await calls.log.arrival(of: 1) == [token])
    }

    @Test func `A registration whose file is replaced before it is watched hears posts`()
        async throws
    {
        let calls = NotifyCalls()
        let attempts = Atomic<Int>(0)
        let (name, path) = (try notifyName("replaced"), world.file("replaced"))
        let other = world.table()
        let table = world.table(watchingWith: { () throws(NotifyError) in
            if attempts.wrappingAdd(1, ordering: .relaxed).oldValue == 0 {
                unlink(path)
                _ = try other.register(name, .none)
            }
            return try NotifyWatch()
        })
        let token = try table.register(name, calls.delivery())
        try other.post(name)
        #expect(await calls.log.arrival(of: 1) == [token])
        #expect(calls.log.entries.count == 1)
    }

    @Test func `A post without a registration leaves nothing behind`() throws {
        try world.table().post(notifyName("unheard"))
        #expect(try world.files.isEmpty)
    }

    @Test func `A file that is no record is refused with advice, and a link is never followed`()
        throws
    {
        let table = world.table()
        try table.post(notifyName("anything"))
        try FileManager.default.createSymbolicLink(
            atPath: world.file("link"), withDestinationPath: "/etc/passwd")
        for attempt in [
            { _ = try table.register(notifyName("link"), .none) },
            { try table.post(notifyName("link")) },
        ] {
            let error = #expect(throws: NotifyError.self, performing: attempt)
            #expect(error?.reason?.contains(world.file("link")) == true)
            #expect(error?.reason?.contains(String(cString: strerror(ELOOP))) == true)
        }
    }

    @Test func `A folder that others may use is refused with advice`() throws {
        try FileManager.default.createDirectory(
            atPath: world.path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let table = world.table()
        let error = #expect(throws: NotifyError.self) {
            _ = try table.register(notifyName("open"), .none)
        }
        #expect(error?.reason?.contains("chmod 700") == true)
    }
}
