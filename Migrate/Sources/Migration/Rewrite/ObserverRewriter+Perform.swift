// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension ObserverRewriter {
    /// The reasons for which a method can't be named, while Objective-C's runtime finds it by its
    /// selector.
    private static let reasonsToPerform: Set<Finding.Code> = [
        .selectorString, .selectorVariable, .selectorUnknown, .selectorAmbiguous, .methodSignature,
        .methodOutside, .observerUnknown,
    ]

    /// Has the observer perform the selector, on Apple's systems. Returns false if the call stays.
    ///
    /// In the Swift 6 mode a closure can't keep a selector for other threads.
    func performs(_ call: SelectorCall, insteadOf obstacle: Obstacle) -> Bool {
        guard Self.reasonsToPerform.contains(obstacle.code) || isOfClass(obstacle, call),
            work.file.isForApple,
            !options.darwin, mode == .v5, (try? isCenter(of: call)) == true, !isDistributed(call),
            let form = PerformForm(call, in: work), work.edit(form.edits)
        else { return false }
        work.report(
            .changed, .observe, at: call.callee,
            "the observer performs the selector, as before, because \(obstacle.message)")
        return true
    }

    /// Whether the obstacle is a method of a class, and the class observes.
    private func isOfClass(_ obstacle: Obstacle, _ call: SelectorCall) -> Bool {
        guard obstacle.code == .methodStatic,
            case .metatype = work.resolver.type(of: call.observer)
        else { return false }
        return true
    }
}
