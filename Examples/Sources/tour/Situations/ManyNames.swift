// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard

extension Situation {
    static let manyNames = Situation(
        name: "A journal hears many names",
        promise: """
            A pattern stands for all names that fit it, also for names that nobody has posted yet. Tokens that are \
            kept in one collection end together.
            """
    ) { stage in
        var tokens: Set<ObservationToken> = []
        stage.center.observe(matching: "document.*") {
            stage.record("the journal notes \($0.name.rawValue)")
        }.store(in: &tokens)
        stage.center.observe(matching: "document.>") {
            stage.record("the archive keeps \($0.name.rawValue)")
        }.store(in: &tokens)
        func post(_ name: String) {
            stage.record("posts \(name)")
            stage.center.post(name: Notification.Name(name), object: nil)
        }
        post("document.opened")
        post("document.page.added")
        post("window.closed")
        tokens.removeAll()
        post("document.closed")
        try stage.expect(manyNamesEvents)
    }
}

private let manyNamesEvents = [
    "posts document.opened", "the journal notes document.opened",
    "the archive keeps document.opened",
    "posts document.page.added", "the archive keeps document.page.added",
    "posts window.closed", "posts document.closed",
].map { "tour: \($0)" }
