// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import Testing

/// Notes who was measured.
private final class Journal {
    var measured: [String] = []
    var finished: [String] = []
}

/// A subject that notes its turns, and says that they took so long.
private struct Noted: Subject {
    let name: String
    let role: Role
    let journal: Journal
    var figures = [7.0]
    var canAnswer = true

    func workload(for question: Int) -> Workload? {
        guard canAnswer else { return nil }
        var turn = 0
        return Workload(
            repeats: .once,
            measure: { _ in
                journal.measured.append(name)
                defer { turn += 1 }
                return figures[turn % figures.count]
            }, finish: { journal.finished.append(name) })
    }
}

struct RoundsTests {
    private let journal = Journal()

    private func measure(_ subjects: [Noted], rounds: Int, goal: Goal? = nil) -> TableReport {
        let table = Table(
            name: "t", title: "T",
            questions: [Asked(0, row: "r", column: "c", unit: "ns", goal: goal)],
            subjects: subjects)
        return Rounds(Effort(rounds: rounds, seconds: 0.001)).measure(table) { _ in }
    }

    @Test func `Subjects take turns, round by round, and are taken down at the end`() {
        let subjects = [
            Noted(name: "A", role: .switchyard, journal: journal),
            Noted(name: "B", role: .peer, journal: journal),
        ]
        _ = measure(subjects, rounds: 3)
        #expect(journal.measured == ["A", "B", "A", "B", "A", "B"])
        #expect(journal.finished == ["A", "B"])
    }

    @Test func `A subject that can't do what is asked has no figure`() {
        let subjects = [
            Noted(name: "A", role: .switchyard, journal: journal),
            Noted(name: "B", role: .peer, journal: journal, canAnswer: false),
        ]
        #expect(measure(subjects, rounds: 1).cells[0].measurements.map(\.subject) == ["A"])
    }

    @Test func `Median, minimum and ratios are of what the rounds gave`() {
        let subjects = [
            Noted(name: "A", role: .switchyard, journal: journal, figures: [9, 4, 6]),
            Noted(name: "B", role: .peer, journal: journal, figures: [30]),
            Noted(name: "C", role: .peer, journal: journal, figures: [12]),
            Noted(name: "D", role: .limit, journal: journal, figures: [3]),
        ]
        let cell = measure(subjects, rounds: 3).cells[0]
        #expect(cell.ours?.median == 6)
        #expect(cell.ours?.minimum == 4)
        #expect(cell.best(.peer)?.subject == "C")
        #expect(cell.ratio(to: .peer) == 0.5)
        #expect(cell.ratio(to: .limit) == 2)
    }

    @Test func `What is calibrated lasts about as long as a round should`() {
        let body = Repeats()
        let table = Table(
            name: "t", title: "T", questions: [Asked(0, row: "r", column: "c", unit: "ns")],
            subjects: [body])
        let report = Rounds(Effort(rounds: 1, seconds: 0.01)).measure(table) { _ in }
        let repeats = report.cells[0].measurements[0].repeats
        // A repetition takes 10 µs or a little more of the time of a machine that is not ours alone.
        #expect(repeats > 1 && repeats <= 1100)
    }

    /// Takes 10 µs each time.
    private struct Repeats: Subject {
        let name = "R"
        let role = Role.peer

        func workload(for question: Int) -> Workload? {
            Workload(measure: { count in
                let end = Stopwatch.now + Int64(count) * 10_000
                while Stopwatch.now < end {}
                return 1
            })
        }
    }
}
