// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardCore
internal import SwitchyardInspection
internal import SwitchyardWeb
internal import SwitchyardWire

/// The picture of one process, kept up to date until the process ends, and what pages ask for. All
/// pages show the same choice: the tool is for one user.
final class LiveSession: PageContent {
    /// The most commands that wait; a user makes a few a second.
    private static let mostCommands = 100

    let board = LiveBoard()
    /// The commands that were not done yet. Guarded by its own lock.
    private let commands = Guarded<[LiveCommand]>([])

    func updates() -> LiveUpdates { LiveUpdates(board) }

    func take(_ command: [UInt8]) -> Bool {
        guard let command = LiveCommand(command) else { return false }
        return commands.withLock { commands in
            if commands.count >= Self.mostCommands { return false }
            commands.append(command)
            return true
        }
    }

    private func takeCommands() -> [LiveCommand] {
        commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }

    private let start: LivePicture.Process

    init(number: Int32, name: String) {
        start = LivePicture.Process(
            number: number, name: LiveText.short(name), budget: LiveCost().budget, cost: "")
        board.show(LivePicture().with(start))
    }

    /// Looks at the process for as long as it answers, then shows the last picture. On the calling
    /// thread, which does not come back.
    ///
    /// - Parameter whenOver: called when nothing new will be shown, with the reason; nil if the
    ///   process has ended.
    func run(_ look: LiveLook, whenOver: (_ problem: String?) -> Void) -> Never {
        var state = State(start)
        do {
            while true { try showAgain(look, &state) }
        } catch {
            look.process.giveUp()
            let hasGone = (error as? InspectionError)?.hasGone == true
            state.end(problem: hasGone ? nil : "\(error)")
            board.show(state.picture)
            whenOver(hasGone ? nil : "\(error)")
        }
        while true {
            for command in takeCommands() { state.obeyAfterEnd(command) }
            board.show(state.picture)
            usleep(100_000)
        }
    }

    private func showAgain(_ look: LiveLook, _ state: inout State) throws {
        for command in takeCommands() { try board.asking { try state.obey(command, look) } }
        if state.process.isPaused {
            // Asked now and then, so that its end is noticed. Resting again costs it next to
            // nothing.
            if state.isTimeForSign() { try board.asking { try look.process.rest() } }
            usleep(100_000)
        } else {
            try board.asking { try look.lookAgain() }
            look.findSites()
            if let window = look.window { state.draw(window) }
        }
        board.show(state.picture)
    }
}

extension LiveSession {
    /// The state of the picture, kept from one round to the next.
    private struct State {
        var process: LivePicture.Process
        private var drawn = LivePicture()
        private var selection = LiveSelection.nothing
        private var history = LiveHistory()
        private var lastWindow: LiveWindow?
        /// The knowledge of the moment in which a post was chosen: its events are soon written
        /// over.
        private var moment: LiveMoment?
        private var nextDrawing = ContinuousClock.now
        private var nextSign = ContinuousClock.now
        private var nextHistory = ContinuousClock.now

        init(_ process: LivePicture.Process) { self.process = process }

        var picture: LivePicture { drawn.with(process) }

        mutating func obey(_ command: LiveCommand, _ look: LiveLook) throws {
            switch command {
            case .select(let new):
                select(new)
            case .budget(let eventsPerSecond):
                process.budget = eventsPerSecond
                // While it is paused, it would begin to trace.
                if process.isPaused { return look.budgetWhenStarted(eventsPerSecond) }
                try look.trace(eventsPerSecond: eventsPerSecond)
            case .pause(let isPaused):
                if isPaused == process.isPaused { return }
                process.isPaused = isPaused
                if isPaused { try look.process.rest() } else { try look.start() }
            }
        }

        /// Obeys a command after the process has ended: the user may still choose something else.
        mutating func obeyAfterEnd(_ command: LiveCommand) {
            if case .select(let new) = command { select(new) }
        }

        /// - Parameter problem: the reason for which nothing more is known; nil if the process has
        ///   ended.
        mutating func end(problem: String?) {
            process.hasEnded = problem == nil
            process.problem = problem.map(LiveText.short) ?? ""
        }

        private mutating func select(_ new: LiveSelection) {
            selection = new
            moment = nil
            switch new {
            case .nothing: process.chosen = ""
            case .node(let key): process.chosen = LiveText.short(key)
            case .post(let number): process.chosen = "post:\(number)"
            }
            guard let window = lastWindow else { return }
            let graph = FlowGraph(window)
            if case .post(let number) = new, graph.events.posts[number] != nil {
                moment = LiveMoment(of: number, window, graph)
            }
            draw(window, graph)
        }

        mutating func draw(_ window: LiveWindow) {
            // Half a second is as fast as people read.
            guard ContinuousClock.now >= nextDrawing else { return }
            let start = ContinuousClock.now
            draw(window, FlowGraph(window))
            lastWindow = window
            nextDrawing = start + max(.milliseconds(450), (.now - start) * 4)
        }

        private mutating func draw(_ window: LiveWindow, _ graph: FlowGraph) {
            if ContinuousClock.now >= nextHistory {
                history.add(window, graph)
                nextHistory = .now + .milliseconds(900)
            }
            process.cost = window.cost.text
            drawn = LivePicture(process, window, graph, history, selection, moment)
        }

        mutating func isTimeForSign() -> Bool {
            guard ContinuousClock.now >= nextSign else { return false }
            nextSign = .now + .seconds(1)
            return true
        }
    }
}
