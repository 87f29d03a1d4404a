// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The isolation of a method, asked at run time, for code in the Swift 5 language mode.
///
/// In that mode the compiler drops `@MainActor` from the type of a method that is named without an
/// instance (`Window.close`), so no overload can tell such a method from others. A function that is
/// converted to `@isolated(any)` carries its isolation along.
///
/// The answer is right for a class whose handlers are all isolated alike. Swift 6.3.1 makes one
/// conversion for all methods of a class that have the same parameters, so of a class that mixes
/// isolated and other methods, each is said to be what the first of them is that the file names.
@usableFromInline
package enum MethodIsolation: Sendable {
    case none
    case mainActor
    case otherActor

    /// The isolation of `function`.
    @usableFromInline
    package init<Payload, Result>(of function: @isolated(any) (Payload) throws -> Result) {
        self.init(function.isolation)
    }

    /// The isolation of `function`.
    @usableFromInline
    package init(of function: @isolated(any) () throws -> Void) {
        self.init(function.isolation)
    }

    private init(_ actor: (any Actor)?) {
        guard let actor else {
            self = .none
            return
        }
        self = actor === MainActor.shared ? .mainActor : .otherActor
    }
}

extension NotificationEngine {
    /// The mailbox for a method with this isolation that was registered for `context`. Reports when
    /// the method can't run where the registration says.
    package func mailbox(
        of context: DeliveryContext, _ isolation: MethodIsolation, _ origin: RegistrationSite
    ) -> SharedMailbox? {
        switch isolation {
        case .none: return mailbox(of: context)
        case .mainActor:
            if !context.isCentersChoice, context.mailbox !== SharedMailbox.main {
                report(.mainActorMethod(origin))
            }
            return .main
        case .otherActor:
            report(.globalActorMethod(origin))
            return mailbox(of: context)
        }
    }
}

extension DeliveryProblem {
    fileprivate static func mainActorMethod(_ origin: RegistrationSite) -> DeliveryProblem {
        DeliveryProblem(
            .isolatedMethod,
            "the method registered at \(origin) is isolated to the main actor, so it is called there "
                + "and not where `on:` says: leave `on:` out, or write `on: .main`")
    }

    fileprivate static func globalActorMethod(_ origin: RegistrationSite) -> DeliveryProblem {
        DeliveryProblem(
            .isolatedMethod,
            "the method registered at \(origin) is isolated to a global actor, where a center can't "
                + "call it: observe with `on:` that actor and a closure that calls the method")
    }
}
