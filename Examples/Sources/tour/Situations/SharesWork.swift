// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard
internal import ThreadNames

private struct Page: NotificationMessage {
    let number: Int
}

extension Situation {
    static let sharesWork = Situation(
        name: "Printers share the pages, and a guard stops one",
        promise: """
            Of a group, one observer hears each post, idle ones first. A handler on the posting thread may consume a \
            post, which then reaches nobody behind it.
            """
    ) { stage in
        let observers = [
            stage.center.consume(Page.self) { $0.number == 2 ? .consumed : .passed },
            stage.center.observe(Page.self, options: .inGroup("printers")) {
                stage.record("the first printer prints page \($0.number)")
            },
            stage.center.observe(Page.self, options: .inGroup("printers")) {
                stage.record("the second printer prints page \($0.number)")
            },
            stage.center.observe(Page.self) {
                stage.record("the counter counts page \($0.number)")
            },
        ]
        defer { withExtendedLifetime(observers) {} }
        try stage.on(ThreadName.queue("writer")) {
            for number in 1...3 {
                let receipt = stage.center.postAndReport(Page(number: number))
                if receipt.isConsumed { stage.record("page \(number) is kept back") }
            }
        }
        try stage.expect([
            "writer: the first printer prints page 1", "writer: the counter counts page 1",
            "writer: page 2 is kept back", "writer: the second printer prints page 3",
            "writer: the counter counts page 3",
        ])
    }
}
