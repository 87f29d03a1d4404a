// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import Synchronization
internal import ThreadNames

private final class Converter: Sendable {
    let format: String
    init(format: String) { self.format = format }
}

private struct ConverterAdded: NotificationMessage {
    typealias Subject = Converter
    let format: String
}

private struct ConverterRemoved: NotificationMessage {
    typealias Subject = Converter
    let format: String
}

/// A menu of formats. The menu knows the messages, but no converter.
@MainActor
private final class Menu {
    private(set) var formats: [String] = []
    private let stage: Stage

    init(_ stage: Stage) {
        self.stage = stage
        stage.center.observe(ConverterAdded.self, with: self, Menu.add)
        stage.center.observe(ConverterRemoved.self, with: self, Menu.remove)
    }

    func add(_ message: ConverterAdded) {
        formats.append(message.format)
        stage.record("the menu adds \(message.format)")
    }

    func remove(_ message: ConverterRemoved) {
        formats.removeAll { $0 == message.format }
        stage.record("the menu drops \(message.format)")
    }
}

/// A saver of documents in the background. The saver knows the messages, but no converter.
private final class Saver: Sendable {
    private let stage: Stage

    init(_ stage: Stage, on thread: DeliveryThread) {
        self.stage = stage
        stage.center.observe(ConverterAdded.self, with: self, Saver.add, on: .thread(thread))
        stage.center.observe(ConverterRemoved.self, with: self, Saver.remove, on: .thread(thread))
    }

    func add(_ message: ConverterAdded) { stage.record("the saver can do \(message.format)") }
    func remove(_ message: ConverterRemoved) { stage.record("the saver lost \(message.format)") }
}

extension Situation {
    static let converters = Situation(
        name: "Converters come and go in a running program",
        promise: """
            Objects hear of others that are added to and removed from a running program, without \
            either knowing the other, each on its own thread and in order.
            """
    ) { stage in
        let thread = stage.thread("saver")
        let saver = Saver(stage, on: thread)
        let menu = try stage.onMain { Menu(stage) }
        defer { withExtendedLifetime(saver) {} }
        try stage.on(ThreadName.queue("plug-ins")) { plugInConverters(stage) }
        try stage.expect(
            on: "main", ["the menu adds RTF", "the menu adds PDF", "the menu drops RTF"],
            ofTotal: 9)
        try stage.expect(
            on: "saver", ["the saver can do RTF", "the saver can do PDF", "the saver lost RTF"],
            ofTotal: 9)
        let formats = try stage.onMain { menu.formats }
        try stage.expect(formats == ["PDF"], "the menu ended with \(formats)")
    }
}

private func plugInConverters(_ stage: Stage) {
    let (rtf, pdf) = (Converter(format: "RTF"), Converter(format: "PDF"))
    for converter in [rtf, pdf] {
        stage.record("\(converter.format) is plugged in")
        stage.center.post(ConverterAdded(format: converter.format), subject: converter)
    }
    stage.record("RTF is removed")
    stage.center.post(ConverterRemoved(format: rtf.format), subject: rtf)
}
