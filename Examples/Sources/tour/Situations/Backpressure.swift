// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

private struct Page: NotificationMessage {
    let number: Int
}

extension Situation {
    static let backpressure = Situation(
        name: "A slow observer holds the poster back",
        promise: """
            An observer that has room for two deliveries refuses a post that does not wait, and \
            makes one that does wait until there is room. Nothing is lost, and no other observer \
            notices.
            """
    ) { stage in
        let (inside, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let printer = stage.thread("printer")
        let token = stage.center.observe(
            Page.self, on: .thread(printer), options: .bounded(.wait(above: 2))
        ) { page in
            stage.record("prints page \(page.number)")
            inside.signal()
            go.wait()
        }
        defer { token.cancel() }
        for number in 1...3 {
            stage.record("posts page \(number)")
            stage.center.post(Page(number: number))
            // The first page leaves the mailbox; the next two fill it.
            if number == 1 { try stage.wait(for: inside, "page 1") }
        }
        let receipt = stage.center.postAndReport(Page(number: 4))
        stage.record("page 4 is refused \(receipt.refused) time: there is no room")
        DispatchQueue.global().async {
            // The result is the same whether the post below waits already or not.
            for _ in 1...4 { go.signal() }
        }
        try stage.center.postWhenRoom(Page(number: 4), timeout: .seconds(5))
        stage.record("page 4 had to wait for room")
        try stage.expect(
            on: "tour",
            [
                "posts page 1", "posts page 2", "posts page 3",
                "page 4 is refused 1 time: there is no room", "page 4 had to wait for room",
            ], ofTotal: 9)
        try stage.expect(on: "printer", (1...4).map { "prints page \($0)" }, ofTotal: 9)
    }
}
