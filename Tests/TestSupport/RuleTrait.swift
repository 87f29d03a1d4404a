// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Testing

/// Says which rules of the contract a test proves. The page `Contract.md` of the documentation has the
/// rules, and `scripts/check-contract` holds the two together.
package struct RuleTrait: TestTrait, SuiteTrait {
    package let numbers: [Int]

    /// Printed beside a failure of the test.
    package var comments: [Comment] {
        numbers.map { "Rule \($0) of the contract" }
    }

    /// A suite's rules are those of all its tests.
    package var isRecursive: Bool { true }
}

extension Trait where Self == RuleTrait {
    /// The test proves these rules of the contract, or a part of each.
    package static func rule(_ numbers: Int...) -> Self { RuleTrait(numbers: numbers) }
}
