// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyardCoreFoundation
import Foundation
import Testing

@testable import SwitchyardCoreFoundation

/// Darwin notifications under settings that count for a whole process. Each test runs in a process
/// of its own.
@Suite("Darwin notifications and the settings of a process", .timeLimit(.minutes(5)))
struct NotifyProcessTests {
    @Test func `All names are in one folder, wherever the process goes`() async {
        await #expect(processExitsWith: .success) {
            let world = NotifyWorld()
            for folder in ["/first/run", "/second/run"] {
                try FileManager.default.createDirectory(
                    atPath: world.path + folder, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            setenv("SWITCHYARD_RUNTIME_DIR", "run", 1)
            var token = NOTIFY_TOKEN_INVALID
            for (folder, name) in [("/first", "a"), ("/second", "b")] {
                #expect(chdir(world.path + folder) == 0)
                #expect(notify_register_check(name, &token) == NOTIFY_STATUS_OK)
            }
            let names = try FileManager.default.contentsOfDirectory(
                atPath: world.path + "/first/run/switchyard/.notify")
            #expect(names.sorted() == ["a", "b"])
            chdir("/")
        }
    }

    @Test func `A file is its user's, whatever the process takes from new files`() async {
        await #expect(processExitsWith: .success) {
            let world = NotifyWorld()
            let table = world.table()
            // This post makes the folder, which is refused if its owner has no rights.
            try table.post(notifyName("anything"))
            umask(0o777)
            _ = try table.register(notifyName("masked"), .none)
            umask(0o022)
            let attributes = try FileManager.default.attributesOfItem(atPath: world.file("masked"))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func `A record for which the disk has no room is an error that says so`() async {
        await #expect(processExitsWith: .success) {
            let world = NotifyWorld()
            let (table, name) = (world.table(), try notifyName("full"))
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            // The limit leaves room for a part of the record.
            var little = rlimit(rlim_cur: 20, rlim_max: limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &little)
            let result = Result { try table.register(name, .none) }
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let error = #expect(throws: NotifyError.self) { _ = try result.get() }
            #expect(error?.reason?.contains(String(cString: strerror(ENOSPC))) == true)
            // A later registration writes over the part.
            #expect(try table.getState(table.register(name, .none)) == 0)
        }
    }

    @Test
    func `Each name costs a descriptor, and a process with none left gets an error that says so`()
        async
    {
        await #expect(processExitsWith: .success) {
            let world = NotifyWorld()
            let table = world.table()
            _ = try table.register(notifyName("first"), .none)
            for _ in 0..<2 {
                for number in 0..<20 {
                    _ = try table.register(notifyName("name \(number)"), .none)
                }
            }
            // The descriptors of the names' files are counted; the folder has one more.
            let folder = "/proc/self/fd/"
            let open = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0)
                return path?.hasPrefix(world.path + "/.notify/") == true
            }
            #expect(open.count == 21)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var none = rlimit(rlim_cur: 3, rlim_max: limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
            let registration = Result { try table.register(notifyName("one more"), .none) }
            let post = Result { try table.post(notifyName("another")) }
            // A name that the process has registered needs no further descriptor.
            let own = Result { try table.post(notifyName("first")) }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            for attempt in [registration.map { _ in }, post] {
                let error = #expect(throws: NotifyError.self) { try attempt.get() }
                #expect(error?.status == UInt32(NOTIFY_STATUS_FAILED))
                #expect(error?.reason?.contains("ulimit -n") == true)
            }
            try own.get()
        }
    }

    @Test func `A registration that fails does not set the descriptor`() async {
        await #expect(processExitsWith: .success) {
            setenv("SWITCHYARD_RUNTIME_DIR", "/nowhere", 1)
            var (token, descriptor) = (NOTIFY_TOKEN_INVALID, Int32(-5))
            let status = notify_register_file_descriptor("a", &descriptor, 0, &token)
            #expect(status == NOTIFY_STATUS_FAILED)
            #expect(descriptor == -5)
            #expect(token == NOTIFY_TOKEN_INVALID)
        }
    }

    @Test func `The ends of a parent's handlers may cancel in a forked child`() async {
        await #expect(processExitsWith: .success) {
            let world = NotifyWorld()
            let table = world.table()
            let other = try table.register(notifyName("other"), .none)
            let token = try table.register(
                notifyName("parent's"), .handler(atEnd: { try? table.cancel(other) }))
            let child = try Self.fork()
            if child == 0 {
                // The alarm ends the child if it waits for itself. The thread may have blocked the
                // signal.
                alarm(30)
                var none = sigset_t()
                sigemptyset(&none)
                pthread_sigmask(SIG_SETMASK, &none, nil)
                _exit(table.isValid(token) && !table.isValid(other) ? 0 : 1)
            }
            var status: Int32 = -1
            #expect(waitpid(child, &status, 0) == child)
            #expect(status == 0)
            #expect(table.isValid(other))
        }
    }

    private static func fork() throws -> Int32 {
        let symbol = try #require(dlsym(nil, "fork"))
        // Unsafe: Swift does not offer the function, whose type this is.
        return unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
    }
}
