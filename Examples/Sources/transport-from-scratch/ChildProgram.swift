// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed

/// The child: it reports to the parent what it hears, until the parent closes the wire.
enum ChildProgram {
    static func run() throws {
        let transport = PipeTransport(reading: .standardInput, writing: .standardOutput)
        let center = try DistributedNotificationCenter(transport: transport)
        let worker = DeliveryThread(name: "child-worker")
        let tokens = observe(center, worker)
        // Kept here: the parent does not observe it yet.
        center.post(
            Notification(name: .mode, object: "screen", userInfo: ["is": "night"]),
            retaining: .latest)
        center.blockUntilReady(within: .seconds(60))
        try report("the child is ready", to: center)
        withExtendedLifetime(tokens) { transport.blockUntilEnded() }
    }

    private static func observe(
        _ center: DistributedNotificationCenter, _ worker: DeliveryThread
    ) -> [ObservationToken] {
        [
            center.observe(.saved, on: .thread(worker)) { note in
                let pages = note.userInfo?["pages"] as? Int ?? 0
                let thread = Thread.current.name ?? "?"
                try report("child hears Saved, \(pages) pages, on \(thread)", to: center)
                center.post(
                    name: .printed, object: note.object as? String,
                    userInfo: ["sheets": (pages + 1) / 2])
            },
            center.observe(PageAdded.self, on: .thread(worker)) { page in
                try report("child hears of page \(page.number)", to: center)
            },
            center.answer(FindConverter.self, on: .thread(worker)) { request in
                "the child converts \(request.format)"
            },
            center.observe(.job, on: .thread(worker), options: .inGroup("workers")) { note in
                try report("child takes job \(note.object ?? "?")", to: center)
            },
        ]
    }

    private static func report(_ text: String, to center: DistributedNotificationCenter) throws {
        try center.post(Report(text: text))
    }
}
