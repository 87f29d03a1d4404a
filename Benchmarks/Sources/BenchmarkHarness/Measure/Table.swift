// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A table of questions, each put to every subject.
package struct Table {
    /// The name of the table for `--only`.
    package let name: String
    package let title: String
    package private(set) var cells: [Cell]
    /// Whether each figure is followed by its ratio to the limit's.
    let showsRatios: Bool
    let notes: [String]

    /// - Parameters:
    ///   - name: the name of the table for `--only`.
    ///   - title: the table's title.
    ///   - questions: the table's questions, in the order of their rows.
    ///   - subjects: the subjects that answer them.
    ///   - showsRatios: whether each figure is followed by its ratio to the limit's.
    package init<Question>(
        name: String, title: String, questions: [Asked<Question>],
        subjects: [any Subject<Question>], showsRatios: Bool = false
    ) {
        self.name = name
        self.title = title
        self.showsRatios = showsRatios
        notes = subjects.compactMap(\.missing)
        cells = questions.map { asked in
            Cell(
                row: asked.row, column: asked.column, unit: asked.unit, better: asked.better,
                goal: asked.goal, isInPicture: asked.isInPicture,
                contenders: subjects.map { subject in
                    Contender(name: subject.name, role: subject.role) {
                        subject.workload(for: asked.question)
                    }
                })
        }
    }

    /// Returns the table with those cells alone in whose row or column one of the texts is; with
    /// all cells if there is no text.
    package func cells(with texts: [String]) -> Table {
        var table = self
        table.cells.removeAll { cell in
            !texts.isEmpty && !texts.contains { (cell.row + ", " + cell.column).contains($0) }
        }
        return table
    }
}

/// A question, with the row and column of its answers.
package struct Asked<Question> {
    let question: Question
    let row: String
    let column: String
    let unit: String
    let better: Better
    let goal: Goal?
    let isInPicture: Bool

    /// - Parameters:
    ///   - question: the question.
    ///   - row: the row of the answers.
    ///   - column: the column of the answers.
    ///   - unit: the unit of the figures, with the thing that is counted.
    ///   - better: which figures are better.
    ///   - goal: the goal of the cell.
    ///   - isInPicture: whether the picture shows the cell; it would be too long with all cells.
    package init(
        _ question: Question, row: String, column: String, unit: String,
        better: Better = .less, goal: Goal? = nil, isInPicture: Bool = false
    ) {
        self.question = question
        self.row = row
        self.column = column
        self.unit = unit
        self.better = better
        self.goal = goal
        self.isInPicture = isInPicture
    }
}

/// One question with all subjects that answer it.
package struct Cell {
    let row: String
    let column: String
    let unit: String
    let better: Better
    let goal: Goal?
    let isInPicture: Bool
    let contenders: [Contender]
}

/// One subject before it is set up for a cell.
struct Contender {
    let name: String
    let role: Role
    let prepare: () -> Workload?
}
