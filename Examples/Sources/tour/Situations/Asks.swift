// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard
internal import ThreadNames

private struct CanClose: RequestMessage {
    typealias Reply = Bool
}

extension Situation {
    static let asks = Situation(
        name: "A window asks whether it may close",
        promise: """
            A request is answered by each on its own context, and the one who asks waits for the first answer, for \
            all, or for a value made of all.
            """
    ) { stage in
        let uploads = DeliveryThread(name: "uploads")
        let answering = [
            stage.center.answer(CanClose.self) { _ in
                stage.record("the editor says yes")
                return true
            },
            stage.center.answer(CanClose.self, on: .thread(uploads)) { _ in
                stage.record("the uploads say no")
                return false
            },
        ]
        defer { withExtendedLifetime(answering) {} }
        try stage.on(ThreadName.queue("window")) {
            let answers = try? stage.center.request(CanClose(), .all, within: .seconds(5))
            stage.record("the answers are \(answers ?? [])")
            let canClose = try? stage.center.request(
                CanClose(), .reduce(true) { $0 && $1 }, within: .seconds(5))
            stage.record("the window \(canClose == true ? "closes" : "stays")")
        }
        try stage.expect([
            "window: the editor says yes", "uploads: the uploads say no",
            "window: the answers are [true, false]", "window: the editor says yes",
            "uploads: the uploads say no", "window: the window stays",
        ])
    }
}
