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

    @Test func `A subject that can't answer the question has no figure`() {
        let subjects = [
            Noted(name: "A", role: .switchyard, journal: journal),
            Noted(name: "B", role: .peer, journal: journal, canAnswer: false),
        ]
        #expect(measure(subjects, rounds: 1).cells[0].measurements.map(\.subject) == ["A"])
    }

    @Test func `Median, minimum and ratios come from the figures of the rounds`() {
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

    @Test func `A calibrated subject lasts as long as a round should`() {
        let clock = Clock()
        let table = Table(
            name: "t", title: "T", questions: [Asked(0, row: "r", column: "c", unit: "ns")],
            subjects: [Slow(clock: clock, repeats: .calibrated)])
        let effort = Effort(rounds: 2, seconds: 0.02)
        let report = Rounds(effort) { clock.now }.measure(table) { _ in }
        #expect(report.cells[0].measurements[0].repeats == 1000)
    }

    @Test func `A burst is as large as it should be, or smaller where it would take too long`() {
        let clock = Clock()
        let table = Table(
            name: "t", title: "T", questions: [Asked(0, row: "r", column: "c", unit: "ns")],
            subjects: [
                Slow(clock: clock, repeats: .burst(of: 1500)),
                Slow(clock: clock, repeats: .burst(of: 1_000_000)),
            ])
        var effort = Effort(rounds: 1, seconds: 0.01)
        effort.secondsPerBurst = 0.1
        let report = Rounds(effort) { clock.now }.measure(table) { _ in }
        #expect(report.cells[0].measurements.map(\.repeats) == [1500, 10_000])
    }

    @Test
    func
        `A subject gets the number of repeats that it asks for, or more where it may`()
    {
        let clock = Clock()
        let table = Table(
            name: "t", title: "T", questions: [Asked(0, row: "r", column: "c", unit: "ns")],
            subjects: [
                Slow(clock: clock, repeats: .exactly(5000)),
                Slow(clock: clock, repeats: .atLeast(5000)),
                Slow(clock: clock, repeats: .atLeast(500)),
            ])
        var effort = Effort(rounds: 1, seconds: 0.01)
        let report = Rounds(effort) { clock.now }.measure(table) { _ in }
        #expect(report.cells[0].measurements.map(\.repeats) == [5000, 5000, 1000])
        effort.mostRepeats = 100
        let quick = Rounds(effort) { clock.now }.measure(table) { _ in }
        #expect(quick.cells[0].measurements.map(\.repeats) == [100, 1000, 1000])
    }

    @Test func `Losses are asked for after the last round, and before the end`() {
        let table = Table(
            name: "t", title: "T", questions: [Asked(0, row: "r", column: "c", unit: "ns")],
            subjects: [Leaky(journal: journal)])
        let report = Rounds(Effort(rounds: 3, seconds: 0.001)).measure(table) { _ in }
        let losses = report.cells[0].measurements[0].losses
        #expect(losses?.expected == 30)
        #expect(losses?.lost == 6)
        #expect(journal.finished == ["L"])
    }

    /// Loses two of ten, each time.
    private struct Leaky: Subject {
        let name = "L"
        let role = Role.peer
        let journal: Journal

        func workload(for question: Int) -> Workload? {
            var losses: Losses? = Losses()
            return Workload(
                repeats: .once,
                measure: { _ in
                    losses?.add(expected: 10, received: 8)
                    return 1
                }, losses: { losses },
                finish: {
                    losses = nil
                    journal.finished.append(name)
                })
        }
    }

    private final class Clock {
        var now: Int64 = 0
    }

    /// Takes 10 µs each time.
    private struct Slow: Subject {
        let name = "R"
        let role = Role.peer
        let clock: Clock
        let repeats: Workload.Repeats

        func workload(for question: Int) -> Workload? {
            Workload(
                repeats: repeats,
                measure: { count in
                    clock.now += Int64(count) * 10_000
                    return 1
                })
        }
    }

    // MARK: - Goals

    private func ratio(_ ours: [Double], _ others: [Double]) -> Ratio {
        Ratio(of: ours, to: others)
    }

    @Test func `A goal is decided by ratios round by round, or not at all`() {
        // The machine is slower in some rounds, in everything.
        let calm = ratio([3, 6, 3, 9, 3], [1, 2, 1, 3, 1])
        #expect(calm.median == 3 && calm.range == 3...3)
        #expect(calm.verdict(3, .less) == .reached)
        #expect(calm.verdict(2.9, .less) == .missed)
        #expect(calm.verdict(3.1, .more) == .missed)
        let noisy = ratio([2, 3, 4, 3, 3], [1, 1, 1, 1, 1])
        #expect(noisy.verdict(3, .less) == .undecided)
        #expect(noisy.verdict(4, .less) == .reached)
        #expect(noisy.verdict(1.9, .less) == .missed)
    }

    @Test func `More rounds narrow the range down`() {
        let few = ratio([1, 2, 3, 4, 5], [])
        #expect(few.range == 1...5)
        let many = ratio([1, 5] + Array(repeating: 3, count: 13), [])
        #expect(many.range == 3...3)
    }

    @Test func `A cell whose goal is not decided gets more rounds, up to three times as many`() {
        func rounds(_ figures: [Double], _ goal: Double) -> Int {
            let table = measure(
                [
                    Noted(name: "A", role: .switchyard, journal: journal, figures: figures),
                    Noted(name: "D", role: .limit, journal: journal, figures: [1]),
                ], rounds: 5, goal: .ofLimit(goal))
            return table.cells[0].ours?.rounds.count ?? 0
        }
        #expect(rounds([2], 3) == 5)
        #expect(rounds([2], 1) == 5)
        #expect(rounds([2, 4], 3) == 15)
        #expect(rounds([4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2], 3) == 10)
    }
}
