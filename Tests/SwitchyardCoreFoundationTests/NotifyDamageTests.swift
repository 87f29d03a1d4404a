// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyardCoreFoundation
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardCoreFoundation

/// Files of names that other programs remove, make empty, or write strange bytes to.
@Suite("Damaged and removed files of Darwin notifications", .timeLimit(.minutes(5)))
struct NotifyDamageTests {
    private let world = NotifyWorld()

    // MARK: - Damaged files

    // The test runs in a process of its own, which would crash if it read memory beyond the file's
    // end.
    @Test func `A file that was made shorter ends no process, and is made again`() async {
        await #expect(processExitsWith: .success) {
            for length in [0, 1, 24, 47, 48] as [off_t] {
                try await Self.expectRenewal { truncate($0, length) }
            }
        }
    }

    @Test func `A file with strange bytes is made again`() async {
        await #expect(processExitsWith: .success) {
            // The offsets are those of the magic number, the length, the last post, the state, and
            // the name.
            for offset in [0, 8, 16, 24, 32, 40, 48] as [off_t] {
                try await Self.expectRenewal { path in
                    let file = open(path, O_WRONLY)
                    var strange = UInt64(0xabcd_ef01_2345_6789)
                    pwrite(file, &strange, 8, offset)
                    close(file)
                }
            }
        }
    }

    /// Expects that a registration goes on after `damage` to its file, as after a post.
    private static func expectRenewal(after damage: (_ path: String) -> Void) async throws {
        let (world, problems, calls) = (NotifyWorld(), Log<String>(), NotifyCalls())
        let (one, other) = (world.table(reportingTo: problems), world.table())
        let name = try notifyName("damaged")
        let token = try one.register(name, calls.delivery())
        try one.setState(token, 7)
        _ = try one.check(token)
        damage(world.file("damaged"))
        let others = try other.register(name, .none)
        try one.post(name)
        await calls.log.arrival(of: 1)
        #expect(try one.check(token))
        #expect(try other.check(others))
        #expect(try one.getState(token) == other.getState(others))
        try other.setState(others, 8)
        #expect(try one.getState(token) == 8)
        let count = calls.log.entries.count
        try other.post(name)
        #expect(await until { calls.log.entries.count > count })
    }

    @Test func `A damaged file is reported, and keeps its state`() throws {
        let problems = Log<String>()
        let table = world.table(reportingTo: problems)
        let token = try table.register(notifyName("reported"), .none)
        try table.setState(token, 5)
        _ = try table.check(token)
        truncate(world.file("reported"), 0)
        #expect(try table.getState(token) == 5)
        #expect(problems.entries.count == 1)
        #expect(problems.entries.first?.contains(world.file("reported")) == true)
        #expect(try table.check(token))
        #expect(try !table.check(token))
    }

    @Test func `A registration makes a damaged file again that another process uses`() throws {
        let problems = Log<String>()
        let (one, other) = (world.table(), world.table(reportingTo: problems))
        let name = try notifyName("joined")
        let token = try one.register(name, .none)
        _ = try one.check(token)
        truncate(world.file("joined"), 0)
        _ = try other.register(name, .none)
        #expect(problems.entries.count == 1)
        #expect(try one.check(token))
        #expect(try !one.check(token))
        try other.post(name)
        #expect(try one.check(token))
    }

    @Test func `A post that finds a damaged file is not lost`() throws {
        let (one, other) = (world.table(), world.table())
        let name = try notifyName("found")
        let token = try one.register(name, .none)
        _ = try one.check(token)
        // The damage is in the name's bytes, which a registered process does not look at again.
        let file = open(world.file("found"), O_WRONLY)
        pwrite(file, "F", 1, off_t(MemoryLayout<switchyard_notify_record>.size))
        close(file)
        #expect(try !one.check(token))
        try other.post(name)
        #expect(try one.check(token))
        #expect(try !one.check(token))
    }

    @Test func `The problem hook may use the functions`() throws {
        let found = Log<Bool>()
        let table = Mutex<NotifyTable?>(nil)
        let world = world
        let made = NotifyTable(
            reportProblem: { _ in found.add(table.withLock { $0 }?.isValid(1) == true) },
            openFolder: { () throws(NotifyError) in try world.folder() })
        table.withLock { $0 = made }
        let token = try made.register(notifyName("hook"), .none)
        truncate(world.file("hook"), 0)
        _ = try made.check(token)
        #expect(found.entries == [true])
        table.withLock { $0 = nil }
    }

    @Test func `A record of another version is refused with advice`() throws {
        let (one, other) = (world.table(), world.table())
        let name = try notifyName("version")
        _ = try one.register(name, .none)
        let file = open(world.file("version"), O_WRONLY)
        pwrite(file, "SYNOTIF9", 8, 0)
        close(file)
        for attempt in [{ _ = try other.register(name, .none) }, { try other.post(name) }] {
            let error = #expect(throws: NotifyError.self, performing: attempt)
            #expect(error?.reason?.contains("remove it") == true)
        }
        #expect(try world.files == ["version"])
    }

    // MARK: - Removed files

    @Test(arguments: [true, false])
    func `A post after a file was removed is not lost`(posterIsRegistered: Bool) async throws {
        let (one, other, calls) = (world.table(), world.table(), NotifyCalls())
        let (checked, heard) = (try notifyName("checked"), try notifyName("heard"))
        let token = try one.register(checked, .none)
        _ = try one.check(token)
        let handler = try one.register(heard, calls.delivery())
        if posterIsRegistered {
            _ = try other.register(checked, .none)
            _ = try other.register(heard, .none)
        }
        for (name, file) in [(checked, "checked"), (heard, "heard")] {
            unlink(world.file(file))
            try other.post(name)
        }
        #expect(try one.check(token))
        #expect(try !one.check(token))
        #expect(await calls.log.arrival(of: 1).first == handler)
    }

    @Test func `The last post is never lost while another program removes the file`() async throws {
        let problems = Log<String>()
        let (one, other) = (world.table(reportingTo: problems), world.table())
        let name = try notifyName("swept")
        let news = Atomic<Int>(0)
        let heard = Atomic<Int>(0)
        let isOver = Atomic<Bool>(false)
        let path = world.file("swept")
        let calls = NotifyCalls()
        _ = try one.register(
            name,
            calls.delivery { _ in
                heard.store(news.load(ordering: .sequentiallyConsistent), ordering: .relaxed)
            })
        // The file is removed a limited number of times for each post: it would not live long
        // enough to be heard of otherwise.
        let sweepsLeft = Atomic<Int>(0)
        let sweeper = Thread {
            while !isOver.load(ordering: .relaxed) {
                if sweepsLeft.load(ordering: .relaxed) > 0 {
                    sweepsLeft.wrappingSubtract(1, ordering: .relaxed)
                    unlink(path)
                }
                sched_yield()
            }
        }
        sweeper.start()
        defer { isOver.store(true, ordering: .relaxed) }
        for number in 1...2_000 {
            news.store(number, ordering: .sequentiallyConsistent)
            sweepsLeft.store(20, ordering: .relaxed)
            try other.post(name)
            guard number.isMultiple(of: 10) else { continue }
            let isHeard = await until(within: .seconds(60)) {
                heard.load(ordering: .relaxed) == number
            }
            #expect(
                isHeard,
                "\(number) posted, \(heard.load(ordering: .relaxed)) heard; \(problems.entries)")
            if !isHeard { return }
        }
    }

    @Test func `A name whose file was renamed gets another`() async throws {
        let (one, other, calls) = (world.table(), world.table(), NotifyCalls())
        let name = try notifyName("renamed")
        let token = try one.register(name, .none)
        _ = try one.check(token)
        _ = try one.register(name, calls.delivery())
        rename(world.file("renamed"), world.file("else"))
        try other.post(name)
        #expect(try one.check(token))
        await calls.log.arrival(of: 1)
        #expect(try world.files == ["else", "renamed"])
    }

    // MARK: - Records

    @Test func `A number that is read while others write it is one that was written`() async throws
    {
        let (one, other) = (world.table(), world.table())
        let name = try notifyName("written")
        let token = try one.register(name, .none)
        let others = try other.register(name, .none)
        let isOver = Atomic<Bool>(false)
        let writer = Thread {
            while !isOver.load(ordering: .relaxed) {
                try? other.setState(others, .max)
                try? other.setState(others, 0)
            }
        }
        writer.start()
        defer { isOver.store(true, ordering: .relaxed) }
        for _ in 0..<20_000 { #expect([0, .max].contains(try one.getState(token))) }
        var mixture = switchyard_notify_number(sealing: .max)
        #expect(mixture.isWhole)
        mixture.value = 0xffff_ffff
        #expect(!mixture.isWhole)
    }
}
