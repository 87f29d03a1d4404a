// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
internal import SwitchyardCore

/// Counts the problems of all centers, until it goes.
final class ProblemCounts: Sendable {
    /// The kinds of counted problems.
    enum Kind: Hashable {
        /// A handler for this topic threw an error of this type.
        case threw(topic: String, error: String)
        /// Deliveries were lost, by the problem's kind, and the context where there is one.
        case lost(String, context: String?)
    }

    // The most kinds that are counted apart, so that names that a program makes up do not fill
    // memory. Beyond them, problems are counted as one kind.
    private static let most = 1000

    private final class Counts: Sendable {
        let values = Guarded<[Kind: Int]>([:])

        func add(_ problem: DeliveryProblem) {
            guard let kind = Kind(problem) else { return }
            values.withLock { values in
                let isKnown = values[kind] != nil || values.count < ProblemCounts.most
                values[isKnown ? kind : kind.other, default: 0].addClamped(problem.count)
            }
        }
    }

    private let counts: Counts
    private let listener: CenterListener

    init() {
        let counts = Counts()
        self.counts = counts
        listener = CenterListener(logs: false, problem: { counts.add($0) })
        CenterDirectory.add(listener)
    }

    deinit { CenterDirectory.remove(listener) }

    /// Returns the problems since the last call.
    func take() -> [Kind: Int] { counts.values.exchange([:]) }
}

extension ProblemCounts.Kind {
    fileprivate init?(_ problem: DeliveryProblem) {
        switch (problem.kind, problem.kind.description) {
        case (.handlerThrew, _):
            self = .threw(
                topic: problem.topic ?? BoundedNames.other,
                error: problem.error.map { TypeName.of(type(of: $0)) } ?? BoundedNames.other)
        case (.undeliverable, let kind),
            (_, let kind) where kind == "distributedLoss":
            self = .lost(kind, context: problem.context)
        default: return nil
        }
    }

    /// The kind that stands for those beyond the limit.
    fileprivate var other: Self {
        switch self {
        case .threw: .threw(topic: BoundedNames.other, error: BoundedNames.other)
        case .lost(let kind, _): .lost(kind, context: BoundedNames.other)
        }
    }
}
#endif
