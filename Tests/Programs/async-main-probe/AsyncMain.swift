// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// An async `@main`: the main run loop never runs.
@main struct AsyncMain {
    @MainActor static func main() async {
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
    }
}
