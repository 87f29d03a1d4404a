// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

extension ProgramTests {
    /// `switchyard inspect`, `switchyard top` and `switchyard explain`, beside the program that
    /// they inspect: `inspection-probe`.
    @Suite struct Inspect {
        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        private func probe() async throws -> ToolProcess {
            let probe = try ToolProcess(program: "inspection-probe", in: folder)
            _ = try #require(await probe.output.next { $0 == "ready" })
            return probe
        }

        @Test func `inspect lists the programs that can be inspected`() async throws {
            let nobody = try await run("inspect", in: folder)
            #expect(nobody.status == 0)
            #expect(nobody.errors == ["switchyard inspect: no process can be inspected"])
            let probes = [try await probe(), try await probe()]
            let all = try await run("inspect", "--json", in: folder)
            let objects = try all.output.map { try object($0) }
            #expect(
                Set(objects.compactMap { $0["process"] as? Int })
                    == Set(probes.map { Int($0.processIdentifier) }))
            #expect(objects.map { $0["registrations"] as? Int } == [4, 4])
            // A program that was killed is no longer listed, and its socket is removed.
            probes[0].send(SIGKILL)
            _ = await probes[0].end()
            #expect(try await run("inspect", "--json", in: folder).output.count == 1)
            let sockets = try FileManager.default.contentsOfDirectory(
                atPath: folder.path + "/switchyard/.inspect")
            #expect(sockets.count == 1)
        }

        @Test func `inspect says how busy each handler is, and how much is delivered to it`()
            async throws
        {
            let probe = try await probe()
            // 100 notifications a line, so that it posts for minutes, whatever this process comes to.
            probe.write(String(repeating: "go\n", count: 500))
            let inspect = try ToolProcess(
                "inspect", "inspection-probe", "--for", "2s", "--json", in: folder)
            #expect(await inspect.end() == 0)
            probe.send(SIGKILL)
            _ = await probe.end()
            let table = try object(await inspect.output.all().first)
            let rows = try #require(table["rows"] as? [[String: Any]])
            #expect(rows.count == 4)
            let findings = try #require(table["findings"] as? [String])
            #expect(findings.count { $0.contains("has died") } == 1)
            let first = try #require(rows.first)
            #expect(first["hears"] as? String == "\"Tick\"")
            #expect(first["context"] as? String == "the posting thread")
            // The handler works for 3 ms of about 4. A machine with other work to do shows less.
            #expect(first["busy"] as? Double ?? 0 > 0.05)
            #expect(first["rate"] as? Double ?? 0 > 10)
            #expect((rows.last?["rate"] as? Double) == 0)
            #expect(
                (first["handler"] as? String)?.hasPrefix("inspection_probe/main.swift:") == true)
        }

        @Test
        func
            `explain names the observers that would hear a notification, and why others would not`()
            async throws
        {
            let probe = try await probe()
            let heard = try await run("explain", "inspection-probe", "Tick", in: folder)
            #expect(heard.status == 0)
            #expect(heard.output.first == "\"Tick\" would be heard by")
            #expect(heard.output.count == 3)
            let other = try await run("explain", "inspection-probe", "Other", in: folder)
            #expect(other.status == 2)
            #expect(other.output.first == "nobody would hear \"Other\"")
            #expect(other.output.contains { $0.hasSuffix("it observes object x alone") })
            #expect(other.output.contains { $0.contains("the object that it observes has died") })
            let about = try await run(
                "explain", "inspection-probe", "Other", "--object", "x", in: folder)
            #expect(about.status == 0)
            let unknown = try await run("explain", "inspection-probe", "Tock", in: folder)
            #expect(unknown.status == 2)
            #expect(
                unknown.output == [
                    "nobody observes \"Tock\"; the nearest name that is observed is \"Tick\""
                ])
            let asJSON = try await run("explain", "inspection-probe", "Tock", "--json", in: folder)
            #expect(asJSON.status == 2)
            #expect(asJSON.output == [])
            #expect(asJSON.errors.contains { $0.hasSuffix("that is observed is \"Tick\"") })
            withExtendedLifetime(probe) {}
        }

        @Test func `top prints a table for each span, and ends with its process`() async throws {
            let probe = try await probe()
            let top = try ToolProcess("top", "--every", "100ms", "--json", in: folder)
            for _ in 0..<3 {
                let table = try object(await top.output.next())
                #expect(table["process"] as? Int == Int(probe.processIdentifier))
            }
            probe.send(SIGKILL)
            #expect(await top.end() == 0)
            #expect(await top.errors.all().last?.hasSuffix("has ended") == true)
        }

        @Test func `top says that its process is stopped, not that it has ended`() async throws {
            let probe = try await probe()
            let top = try ToolProcess("top", "--every", "100ms", "--json", in: folder)
            _ = await top.output.next()
            probe.send(SIGSTOP)
            #expect(await top.end() == 1)
            #expect(await top.errors.all().last?.contains("it may be stopped") == true)
            probe.send(SIGKILL)
        }

        @Test(
            .enabled(if: pythonInterpreter != nil),
            arguments: [
                ("see:BUSY key:t see:BUSY key:q", "0"),
                ("see:BUSY stop cooked go raw see:BUSY signal:2", "0"),
                ("see:BUSY stop wake:15", "-15"), ("see:BUSY signal:15", "-15"),
                ("see:BUSY signal:1", "-1"),
                ("see:BUSY key:x see:ends signal:3", "-3"),
            ])
        func `top gives the terminal back as it was, however it ends, and while it is stopped`(
            steps: String, status: String
        ) async throws {
            let probe = try await probe()
            let driver = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Support/terminal.py").path
            let top = try ToolProcess(
                script: "exec python3 '\(driver)' raw \(steps) -- "
                    + "\"$switchyard\" top --every 200ms", in: folder)
            let (ended, errors) = (await top.end(), await top.errors.all())
            let output = await top.output.all()
            #expect(ended == 0)
            #expect(errors == [])
            #expect(output == ["\(status) usual"])
            withExtendedLifetime(probe) {}
        }

        @Test func `trace leaves no file behind when there is nothing to record`() async throws {
            let file = folder.path + "/none.pftrace"
            let result = try await run("trace", "nobody", "-o", file, in: folder)
            #expect(result.status == 1)
            #expect(!FileManager.default.fileExists(atPath: file))
        }

        @Test func `trace writes the poster, the line of each post, and the handlers that ran`()
            async throws
        {
            let probe = try await probe()
            let file = folder.path + "/probe.pftrace"
            let trace = try ToolProcess(
                "trace", "-o", file, "--for", "2s", "--last", "30s", "--json", in: folder)
            let posting = Task {
                while !Task.isCancelled {
                    probe.write("go\n")
                    _ = await probe.output.next()
                }
            }
            #expect(await trace.end() == 0)
            posting.cancel()
            let summary = try object(await trace.output.all().first)
            #expect(summary["posts"] as? Int ?? 0 > 0)
            #expect(summary["file"] as? String == file)
            let text = String(
                decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
            #expect(text.contains("post \"Tick\""))
            #expect(text.contains("inspection-probe/main.swift:"))
            #expect(text.contains("worker"))
        }

        @Test func `trace writes its last line elsewhere if the file is the standard output`()
            async throws
        {
            let probe = try await probe()
            let file = folder.path + "/output.pftrace"
            let trace = try ToolProcess(
                script: "\"$switchyard\" trace -o /dev/stdout --for 1s --json >\(file)", in: folder)
            #expect(await trace.end() == 0)
            let summary = try object(await trace.errors.all().first)
            #expect(summary["file"] as? String == "/dev/stdout")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            // The first field of a trace is a packet.
            #expect(bytes.first == 0x0A)
            #expect(!String(decoding: bytes, as: UTF8.self).contains("overwritten"))
            withExtendedLifetime(probe) {}
        }

        @Test func `trace loses nothing of a program while another one is stopped`() async throws {
            let (stopped, probe) = (try await probe(), try await probe())
            let numbers = [stopped, probe].map { "\($0.processIdentifier)" }
            let trace = try ToolProcess(
                "trace", numbers[0], numbers[1], "-o", folder.path + "/two.pftrace", "--for", "60s",
                "--json", in: folder)
            func isWatched(_ number: String) -> Bool {
                let tasks = "/proc/\(number)/task"
                let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
                return threads.contains {
                    (try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8))
                        == "sw-inspect\n"
                }
            }
            #expect(await until { numbers.allSatisfy(isWatched) })
            // More events than a thread keeps.
            for round in 0..<18 {
                probe.write("go\n")
                _ = try #require(await probe.output.next { $0 == "posted" })
                if round == 1 { stopped.stop() }
            }
            trace.send(SIGINT)
            #expect(await trace.end() == 0)
            let summary = try object(await trace.output.all().first)
            #expect(summary["posts"] as? Int ?? 0 >= 1600)
            #expect(summary["overwritten"] as? Int == 0)
            stopped.send(SIGCONT)
        }

        @Test func `trace keeps an earlier recording when there is nothing to record`() async throws
        {
            let file = NSTemporaryDirectory() + "switchyard-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: file) }
            try "earlier".write(toFile: file, atomically: true, encoding: .utf8)
            let result = try await run("trace", "nobody", "-o", file, in: folder)
            #expect(result.status == 1)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "earlier")
        }

        @Test func `trace says so when its file can't be written, before it records`() async throws
        {
            let probe = try await probe()
            let result = try await run("trace", "-o", "/no/such/folder/x", in: folder)
            #expect(result.status == 1)
            withExtendedLifetime(probe) {}
            #expect(
                result.errors == [
                    "switchyard trace: can't write /no/such/folder/x: No such file or directory"
                ])
        }

        @Test func `top ends when the reader of its output has closed it`() async throws {
            let probe = try await probe()
            let top = try ToolProcess(
                script:
                    "{ \"$switchyard\" top --every 50ms; echo \"ended with $?\" >&2; } | head -n 1",
                in: folder)
            // A top that does not end is killed, and the shell's other commands go on to write
            // errors.
            try #require(await top.end() == 0)
            #expect(await top.errors.all() == ["ended with 0"])
            withExtendedLifetime(probe) {}
        }

        #if Web
        @Test
        func
            `inspect --web prints the page's address, serves it, and says when its process has ended`()
            async throws
        {
            let probe = try await probe()
            let page = try ToolProcess("inspect", "inspection-probe", "--web", in: folder)
            let address = try #require(await page.output.next())
            let parts = address.split(separator: "#")
            #expect(parts.count == 2)
            let port = try #require(parts.first?.split(separator: ":").last?.dropLast())
            #expect(address.hasPrefix("http://127.0.0.1:\(port)/#"))
            let shell = try ToolProcess(
                script: #"exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/\#(port); "#
                    + #"printf "GET / HTTP/1.1\r\nHost: 127.0.0.1:\#(port)\r\n\r\n" >&3; cat <&3'"#,
                in: folder)
            #expect(await shell.end() == 0)
            #expect(await shell.output.all().contains { $0.contains("<title>Switchyard</title>") })
            probe.send(SIGKILL)
            let words = "process \(probe.processIdentifier) inspection-probe has ended"
            #expect(await page.errors.next { $0.contains(words) } != nil)
            page.send(SIGINT)
            #expect(await page.end() == 0)
        }

        @Test func `inspect --web says so when its port is taken`() async throws {
            let probe = try await probe()
            let page = try ToolProcess("inspect", "--web", in: folder)
            let address = try #require(await page.output.next())
            let port = try #require(
                address.split(separator: "#").first?.split(separator: ":").last?.dropLast())
            let other = try await run("inspect", "--web", "--port", String(port), in: folder)
            #expect(other.status == 1)
            #expect(other.errors.first?.contains("can't listen on port \(port)") == true)
            page.send(SIGINT)
            #expect(await page.end() == 0)
            withExtendedLifetime(probe) {}
        }
        #else
        @Test func `inspect --web says how to build a tool that has the page`() async throws {
            let result = try await run("inspect", "--web", in: folder)
            #expect(result.status == 1)
            #expect(result.errors.first?.contains("--traits Web") == true)
        }
        #endif

        @Test func `A program that is stopped is called one that does not answer`() async throws {
            let probe = try await probe()
            probe.stop()
            let number = "\(probe.processIdentifier)"
            let words = "process \(number) can't be inspected: the other end does not answer"
            for process in [number, "inspection-probe"] {
                let result = try await run("explain", process, "Tick", in: folder)
                #expect(result.status == 1)
                #expect(result.errors.contains { $0.contains(words) })
            }
            let listed = try await run("inspect", in: folder)
            #expect(listed.status == 0)
            #expect(listed.errors.contains { $0.contains(words) })
            probe.send(SIGCONT)
        }

        @Test func `A program that was told not to listen can't be inspected`() async throws {
            let probe = try ToolProcess(
                script: "SWITCHYARD_INSPECT=0 exec \"$(dirname \"$switchyard\")/inspection-probe\"",
                in: folder)
            _ = try #require(await probe.output.next { $0 == "ready" })
            let result = try await run("explain", "inspection-probe", "Tick", in: folder)
            #expect(result.status == 1)
            #expect(result.errors.first?.contains("Inspection.listen()") == true)
        }

        @Test func `A program that waits for a tool waits once, and not for a long look`()
            async throws
        {
            let probe = try ToolProcess(
                script:
                    "SWITCHYARD_INSPECT=wait exec \"$(dirname \"$switchyard\")/inspection-probe\"",
                in: folder)
            let path = folder.path + "/switchyard/.inspect"
            func sockets() -> [String] {
                let names = try? FileManager.default.contentsOfDirectory(atPath: path)
                return names?.filter { !$0.hasPrefix(".") } ?? []
            }
            #expect(await until { !sockets().isEmpty })
            let name = try #require(sockets().first)
            // This connection ends at once.
            _ = try #require(connectedSocket(path + "/" + name))
            _ = try #require(await probe.output.next { $0 == "ready" })
        }

        /// With 6 programs; `scripts/soak` has it run with 50.
        @Test func `Many programs are watched, and programs and watchers are killed meanwhile`()
            async throws
        {
            let count = ProcessInfo.processInfo.environment["SWITCHYARD_WATCHED"].flatMap {
                Int($0)
            }
            var probes: [ToolProcess] = []
            for _ in 0..<(count ?? 6) { probes.append(try await probe()) }
            #expect(try await run("inspect", "--json", in: folder).output.count == probes.count)
            let watched = stride(from: 0, to: probes.count, by: max(2, probes.count / 10)).map {
                probes[$0]
            }
            let watchers = try watched.enumerated().map { number, probe in
                try ToolProcess(
                    "trace", "\(probe.processIdentifier)", "-o", "\(folder.path)/\(number)",
                    "--for",
                    "3s", in: folder)
            }
            for probe in watched { probe.write("go\n") }
            for probe in watched { _ = try #require(await probe.output.next { $0 == "posted" }) }
            // Of the first, the watcher is killed; of the second, the program; both of the rest go
            // on.
            watchers[0].send(SIGKILL)
            watched[1].send(SIGKILL)
            _ = await (watchers[0].end(), watched[1].end())
            _ = await watchers[1].end()
            for (number, watcher) in watchers.enumerated().dropFirst(2) {
                #expect(await watcher.end() == 0)
                let file = try FileManager.default.attributesOfItem(
                    atPath: "\(folder.path)/\(number)")
                #expect(file[.size] as? Int ?? 0 > 0)
            }
            // A program whose watcher was killed can be watched again, and goes on.
            let again = try await run(
                "explain", "\(watched[0].processIdentifier)", "Tick", in: folder)
            #expect(again.status == 0)
            watched[0].write("go\n")
            _ = try #require(await watched[0].output.next { $0 == "posted" })
            #expect(try await run("inspect", "--json", in: folder).output.count == probes.count - 1)
        }

        @Test func `Rubbish and silence on the socket harm nobody`() async throws {
            let probe = try await probe()
            let path = folder.path + "/switchyard/.inspect"
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: path).first)
            var sockets: [FileHandle] = []
            for rubbish in [[UInt8]](
                arrayLiteral: [], [0, 0, 0, 0], [255, 255, 255, 255, 1], [1, 0, 0, 0, 9],
                [6, 0, 0, 0, 2, 1, 0, 0, 0, 1])
            {
                let socket = try #require(connectedSocket(path + "/" + name))
                try socket.write(contentsOf: Data(rubbish))
                sockets.append(socket)
            }
            let listed = try await run("inspect", "--json", in: folder)
            #expect(listed.output.count == 1)
            withExtendedLifetime((probe, sockets)) {}
        }
    }
}

/// A socket that is connected to `path`.
private func connectedSocket(_ path: String) -> FileHandle? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8.prefix(MemoryLayout.size(ofValue: address.sun_path) - 1))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    #if canImport(Glibc)
    let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let made = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    let size = socklen_t(MemoryLayout.size(ofValue: address))
    let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(made, $0, size) }
    }
    return result == 0 ? FileHandle(fileDescriptor: made, closeOnDealloc: true) : nil
}
