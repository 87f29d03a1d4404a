// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Testing

/// A trait of tests that decide which posts are traced. The whole process has one setting for that,
/// so of all tests with this trait, one runs at a time.
package struct SamplingTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    /// The turns of the tests, one after the other.
    private actor Turns {
        private var isTaken = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func take() async {
            if !isTaken {
                isTaken = true
                return
            }
            await withCheckedContinuation { waiting.append($0) }
        }

        func pass() {
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
    }

    private static let turns = Turns()

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        await Self.turns.take()
        do {
            try await body()
        } catch {
            await Self.turns.pass()
            throw error
        }
        await Self.turns.pass()
    }
}

extension Trait where Self == SamplingTrait {
    /// The trait of tests that decide which posts are traced.
    package static var decidesSampling: Self { Self() }
}
