// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Testing

/// Says which rules of the contract a test proves. The page `Contract.md` of the documentation has
/// the rules, and `scripts/check-contract` holds the two together.
package struct RuleTrait: TestTrait, SuiteTrait, TestScoping {
    package let numbers: [Int]

    /// A suite's rules are those of all its tests.
    package var isRecursive: Bool { true }

    /// Adds the rules to each issue that the test records, so that a failure names them.
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let naming = IssueHandlingTrait.compactMapIssues { [comments] issue in
            var issue = issue
            issue.comments += comments
            return issue
        }
        try await naming.provideScope(for: test, testCase: testCase, performing: function)
    }

    package var comments: [Comment] {
        numbers.map { "Rule \($0) of the contract" }
    }
}

extension Trait where Self == RuleTrait {
    /// The test proves these rules of the contract, or a part of each.
    package static func rule(_ numbers: Int...) -> Self { RuleTrait(numbers: numbers) }
}
