// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Switchyard
public import SwitchyardCore

/// Fails if an observation that is registered while `body` runs is still on afterwards.
///
/// ```swift
/// try await expectNoLeaks(in: center) {
///     let window = Window(center: center)
///     window.close()
/// }
/// // 1 observation outlived the scope:
/// //   "SettingsChanged", any object, on main, registered at MyApp/Inspector.swift:29
/// //   (a closure; its owner, an Inspector, has died)
/// ```
/// The center numbers its registrations: those after `body` began and not on the list of `allowed`
/// lines have to end. Some end a moment later, because a task or a thread still holds their owner;
/// so the rest is looked at again until `limit`, at growing intervals, because nothing tells when
/// an object dies. A test that passes at first sight waits for nothing.
///
/// A method's observation ends with its object, so it is a leak as long as the object lives. A
/// closure has no object that anybody could see: register it with `options: .owned(by: self)`, and
/// the failure says whose it was.
///
/// Other tests that register with the same center while `body` runs are taken for its doing. Give
/// each test a center of its own, if need be with `NotificationCenter.withDefault(_:_:)`.
///
/// - Parameters:
///   - center: the center; without one, the default center of this task.
///   - limit: the longest time to wait for observations that are left after `body` has returned.
///   - clock: the clock on which `limit` is measured.
///   - allowed: the origins whose registrations may stay, as the failure writes them:
///     `"Caches.swift:12"`, with or without the module, or `"Caches.swift"` for the whole file.
///   - isolation: the caller's isolation; leave it out.
///   - fileID: the expecting file, for the failure; leave it out.
///   - line: the line in that file; leave it out.
///   - body: the code that should clean up after itself. Runs on the caller's actor.
/// - Returns: The value that `body` returns. An object in it is alive, and so are its observations.
/// - Throws: ``ExpectationFailure`` with the code ``ExpectationFailure/Code/leaked``; the error of
///   `body`; `CancellationError` when the task is cancelled while it waits.
@discardableResult
public func expectNoLeaks<Result>(
    in center: any MessageObserving = NotificationCenter.default,
    within limit: Duration = .seconds(10), on clock: any Clock<Duration> = ContinuousClock(),
    allowing allowed: [String] = [], isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: () async throws -> Result
) async throws -> Result {
    let scope = LeakScope(in: center, allowing: allowed)
    let result = try await body()
    let left = try await scope.leaks(within: limit, on: clock)
    if left.isEmpty { return result }
    throw ExpectationFailure(
        .leaked, "\(RegistrationSite(fileID, line)): \(LeakScope.inWords(left))")
}
