// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// An async `@main`: the main run loop never runs.
@main struct AsyncMain {
    @MainActor static func main() async {
        if CommandLine.arguments.contains("late") { return await Late.run() }
        let center = Switchyard.NotificationCenter()
        let name = Notification.Name("probe")
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let token = center.observe(name, on: .main) { note in
            MainActor.assertIsolated()
            continuation.yield(note.userInfo?["number"] as? Int ?? -1)
        }
        let thread = Thread {
            for number in 0..<3 {
                center.post(name: name, object: nil, userInfo: ["number": number])
            }
        }
        thread.start()
        var iterator = stream.makeAsyncIterator()
        for _ in 0..<3 {
            if let number = await iterator.next() { print("heard \(number)") }
        }
        let receipt = center.postAndReport(name: name, object: nil, userInfo: ["number": 3])
        print("inline \(receipt.delivered)")
        token.cancel()
        await queued()
        await rounds()
    }

    /// The main thread's default queue, in which two entries wait at a time, again and again.
    @MainActor private static func rounds() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let token = Switchyard.NotificationCenter.default.observe(Numbered.self) {
            continuation.yield($0.number)
        }
        let queue = Switchyard.NotificationQueue.main
        var iterator = stream.makeAsyncIterator()
        var inOrder = true
        for round in 0..<100 {
            for number in [2 * round, 2 * round + 1] {
                queue.enqueue(Numbered(number: number), postingStyle: .asap, coalesceMask: [])
            }
            for number in [2 * round, 2 * round + 1] {
                if await iterator.next() != number { inOrder = false }
            }
        }
        print(inOrder ? "200 in order" : "not in order")
        token.cancel()
    }

    /// The main thread's notification queue.
    @MainActor private static func queued() async {
        let center = Switchyard.NotificationCenter()
        let queue = Switchyard.NotificationQueue(notificationCenter: center)
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let token = center.observe(Probe.self) { continuation.yield($0.text) }
        queue.enqueue(Probe(text: "idle"), postingStyle: .whenIdle, coalesceMask: [])
        queue.enqueue(Probe(text: "asap"), postingStyle: .asap, coalesceMask: [])
        queue.enqueue(Probe(text: "now"), postingStyle: .now, coalesceMask: [])
        Thread.detachNewThread {
            queue.enqueue(Probe(text: "idle, elsewhere"), postingStyle: .whenIdle, coalesceMask: [])
        }
        var iterator = stream.makeAsyncIterator()
        for _ in 0..<4 {
            if let text = await iterator.next() { print(text) }
        }
        print(queue === Switchyard.NotificationQueue.default ? "same" : "another")
        print(
            Switchyard.NotificationQueue.default === Switchyard.NotificationQueue.default
                ? "same" : "another")
        token.cancel()
    }
}

private struct Numbered: NotificationMessage {
    let number: Int
}

private struct Probe: NotificationMessage {
    let text: String
}
