// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard
internal import ThreadNames

private struct PageChanged: NotificationMessage {
    let number: Int
}

extension Situation {
    static let readsEverythingAgain = Situation(
        name: "A list reads everything again",
        promise: """
            An observation that is paused keeps what is posted meanwhile. At the end of the pause it hears that in \
            order, or drops it. One with a condition never hears what does not fulfil the condition.
            """
    ) { stage in
        let list = stage.center.observe(PageChanged.self) {
            stage.record("the list shows page \($0.number)")
        }
        let history = stage.center.observe(PageChanged.self) {
            stage.record("the history notes page \($0.number)")
        }
        let isCover = ObservationOptions.where { (page: PageChanged) in page.number == 1 }
        let cover = stage.center.observe(PageChanged.self, options: isCover) { _ in
            stage.record("the cover is drawn")
        }
        defer { withExtendedLifetime([list, history, cover]) {} }
        try stage.on(ThreadName.queue("editor")) {
            list.pause()
            history.pause()
            for number in 1...3 {
                stage.record("page \(number) changes")
                stage.center.post(PageChanged(number: number))
            }
            stage.record("the list reads everything")
            list.resume(.dropping)
            history.resume()
            stage.record("page 4 changes")
            stage.center.post(PageChanged(number: 4))
        }
        try stage.expect([
            "editor: page 1 changes", "editor: the cover is drawn", "editor: page 2 changes",
            "editor: page 3 changes", "editor: the list reads everything",
            "editor: the history notes page 1", "editor: the history notes page 2",
            "editor: the history notes page 3", "editor: page 4 changes",
            "editor: the list shows page 4", "editor: the history notes page 4",
        ])
    }
}
