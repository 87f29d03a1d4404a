// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A listener to a center's problems and dead letters, beside the hooks, of which there is one
/// each. Modules that log or count use it, so that the hooks stay the program's.
package final class CenterListener: Sendable {
    let problem: Callback<DeliveryProblem>
    let deadLetter: Callback<String>?
    /// Whether it logs problems, so that they need no line on standard error.
    let logs: Bool

    /// Creates a listener, for ``_NotificationEngine/add(_:)``.
    package init(
        logs: Bool, problem: @escaping @Sendable (DeliveryProblem) -> Void,
        deadLetter: (@Sendable (String) -> Void)? = nil
    ) {
        self.logs = logs
        self.problem = Callback(problem)
        self.deadLetter = deadLetter.map { Callback($0) }
    }
}
