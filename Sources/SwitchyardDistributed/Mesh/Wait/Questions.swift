// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The questions to peers that are not answered yet. Guard: the mesh's lock.
struct Questions {
    typealias Answer = @Sendable ([UInt8]?) -> Void

    private struct Question {
        /// The connection on which the question was asked.
        let token: UInt64
        let answer: Answer
    }

    private var last: UInt64 = 0
    private var open: [UInt64: Question] = [:]

    /// Adds a question that is asked on a connection, with the function that takes the answer.
    ///
    /// - Returns: The question's number.
    mutating func add(on token: UInt64, _ answer: @escaping Answer) -> UInt64 {
        last += 1
        open[last] = Question(token: token, answer: answer)
        return last
    }

    /// Removes a question.
    ///
    /// - Parameter token: The connection on which the answer came; nil for any.
    /// - Returns: The function that takes the answer; nil if the question was not asked on that
    ///   connection.
    mutating func take(_ number: UInt64, on token: UInt64?) -> Answer? {
        if let token, open[number]?.token != token { return nil }
        return open.removeValue(forKey: number)?.answer
    }

    /// Removes all questions on a connection that has ended: no answer can come to them any more.
    mutating func takeAll(on token: UInt64) -> [Answer] {
        if open.isEmpty { return [] }
        let numbers = open.filter { $0.value.token == token }.map(\.key)
        return numbers.compactMap { take($0, on: nil) }
    }

    mutating func takeAll() -> [Answer] {
        defer { open = [:] }
        return open.values.map(\.answer)
    }
}
