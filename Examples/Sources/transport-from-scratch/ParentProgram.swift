// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed

/// The parent: it starts the child, plays one thing after the other with it, and prints what both
/// hear.
struct ParentProgram {
    private let child = ChildProcess()
    private let center: DistributedNotificationCenter
    private let worker = DeliveryThread(name: "parent-worker")
    private let transcript = Transcript()

    init() throws { center = try DistributedNotificationCenter(transport: child.transport) }

    func run() throws {
        let tokens = observe()
        print("The child starts:")
        // After the observers: the child posts once it knows them.
        try child.run()
        transcript.wait()

        print("A notification, and one in return:")
        center.post(name: .saved, object: "a.txt", userInfo: ["pages": 3])
        transcript.wait(for: 2)

        print("A typed message:")
        try center.post(PageAdded(number: 4))
        transcript.wait()

        print("The latest value, for an observer that comes late:")
        let mode = center.observe(.mode, on: .thread(worker), options: .replayingLatest) { note in
            transcript.hear("parent hears Mode, \(note.userInfo?["is"] ?? "?"), posted before")
        }
        transcript.wait()

        print("A request:")
        print("  " + (try center.request(FindConverter(format: "RTF"), within: .seconds(60))))

        print("A group with a member in each process, one of which hears each job:")
        for job in ["1", "2"] {
            center.post(name: .job, object: job)
            transcript.wait()
        }

        print("The wire is closed:")
        withExtendedLifetime((tokens, mode)) { _ = child.transport.close(flushing: true) }
        print("  the child ends with status \(child.waitUntilExit())")
        print("A line that makes no sense:")
        try hearNonsense()
    }

    private func observe() -> [ObservationToken] {
        let transcript = transcript
        return [
            center.observe(Report.self, on: .thread(worker)) { transcript.hear($0.text) },
            center.observe(.printed, on: .thread(worker)) { note in
                let sheets = note.userInfo?["sheets"] ?? "?"
                let thread = Thread.current.name ?? "?"
                transcript.hear("parent hears Printed, \(sheets) sheets, on \(thread)")
            },
            center.observe(.job, on: .thread(worker), options: .inGroup("workers")) { note in
                transcript.hear("parent takes job \(note.object ?? "?")")
            },
        ]
    }

    /// Plays another process, which says hello and then sends a payload in an unknown format.
    private func hearNonsense() throws {
        let (incoming, outgoing) = (Pipe(), Pipe())
        let transport = PipeTransport(
            reading: incoming.fileHandleForReading, writing: outgoing.fileHandleForWriting)
        let center = try DistributedNotificationCenter(transport: transport)
        center.onProblem { transcript.hear($0.description) }
        let hello = #"{"hello":{"id":"x","process":1,"name":"x","interests":[]}}"#
        let content = #"{"name":"x","format":9,"payload":"","isImmediate":false,"context":{}}"#
        let notification = #"{"notification":{"_0":\#(content),"number":1}}"#
        let lines = Data("\(hello)\n\(notification)\n".utf8)
        try incoming.fileHandleForWriting.write(contentsOf: lines)
        transcript.wait()
        transport.blockUntilEnded()
    }
}
