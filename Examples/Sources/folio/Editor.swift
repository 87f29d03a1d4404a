// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import SwitchyardConsole

/// The whole program: its parts, and the main run loop.
@MainActor
final class Editor {
    private let center = NotificationCenter()
    private let isFixed: Bool
    private let settings: Settings
    private let grid: ThumbnailGrid
    private let pool: ThumbnailPool
    private let index: SearchIndex
    private let saver: Saver
    private let statusLine: StatusLine
    private let titleBar: TitleBar
    private let observations = Observations()
    private var document = Document(title: "untitled")

    init(isFixed: Bool) {
        self.isFixed = isFixed
        settings = Settings(center: center, isFixed: isFixed)
        grid = ThumbnailGrid(center: center, isFixed: isFixed)
        pool = ThumbnailPool(center: center)
        index = SearchIndex(center: center, isFixed: isFixed)
        saver = Saver(center: center)
        statusLine = StatusLine(center: center)
        titleBar = TitleBar(center: center, isFixed: isFixed)
    }

    /// Prints late deliveries on main, and posts that nobody hears.
    func report() {
        center.onLate(after: .milliseconds(16), on: .main) { late in
            StandardErrorLog.print("late: \(late)")
        }
        center.onDeadLetter { topic in StandardErrorLog.print("nobody heard \(topic)") }
    }

    func run(until stop: StopSignal) {
        open(document)
        // The document that nobody has typed in is closed.
        open(Document(title: "letter"))
        saver.begin()
        Work.repeats(everySeconds: 0.025) { [self] in document.edit(in: center) }
        Work.repeats(everySeconds: 0.4) { [self] in openAndCloseInspector() }
        Work.repeats(everySeconds: 0.5) { [self] in settings.changeTheme() }
        Work.repeats(everySeconds: 1) { [self] in settings.changeZoom() }
        while !stop.isRaised { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }

    private func open(_ document: Document) {
        self.document = document
        titleBar.show(document)
        document.rename(to: "\(document.title) (open)", in: center)
    }

    private func openAndCloseInspector() {
        let inspector = Inspector(center: center, observations: observations, isFixed: isFixed)
        inspector.close()
    }
}
