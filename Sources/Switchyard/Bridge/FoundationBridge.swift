// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// Carries notifications that are posted on Foundation's default center to observers on ours, on
/// the thread where they are posted; and, if asked to, back.
///
/// The bridge registers on Foundation's center name by name, only for names that are observed on
/// ours: a nil-name observer there aborts the process at the first typed message (Foundation 6.3,
/// Linux).
final class FoundationBridge: TopicWatcher {
    // Sendable: what Foundation's `addObserver` returns may be removed on any thread.
    private struct State: @unchecked Sendable {
        struct Registration {
            let token: any NSObjectProtocol
            /// The number of subjects for which the name is observed.
            var uses: Int
        }

        var registrations: [String: Registration] = [:]
        /// The number of subjects for which any name is observed.
        var anyNameUses = 0
    }

    private let state = Guarded(State())
    private let engine: NotificationEngine
    private var foundation: FoundationCenter { .default }

    private init(_ engine: NotificationEngine) { self.engine = engine }

    /// Connects Foundation's default center to the engine of ours, for good.
    static func connect(_ engine: NotificationEngine) {
        engine.watchTopics(FoundationBridge(engine))
    }

    /// Whether the bridge of `engine`, if it has one, hears what is posted under a name at the
    /// moment.
    static func hears(_ name: Notification.Name, for engine: NotificationEngine) -> Bool {
        guard let bridge = engine.topicWatcher as? FoundationBridge else { return false }
        return bridge.state.withLock { $0.registrations[name.rawValue] != nil }
    }

    func topicAppeared(_ topic: Topic) {
        if topic.isAnyName {
            for name in FoundationNames.all { appear(name) }
        } else if topic.isName {
            appear(topic.name)
        }
    }

    func topicDisappeared(_ topic: Topic) {
        if topic.isAnyName {
            for name in FoundationNames.all { disappear(name) }
        } else if topic.isName {
            disappear(topic.name)
        }
    }

    private func appear(_ name: String) {
        state.withLock { state in
            if state.registrations[name] != nil {
                state.registrations[name]?.uses += 1
                return
            }
            let thread = switchyard_thread_token()
            let token = foundation.addObserver(
                forName: Notification.Name(name), object: nil, queue: nil
            ) { [engine] notification in
                if OutboundPost.hasComeBack(notification, to: engine, bridgedBy: thread) {
                    return
                }
                _ = engine.postUnintercepted(notification)
            }
            state.registrations[name] = State.Registration(token: token, uses: 1)
        }
    }

    private func disappear(_ name: String) {
        let token = state.withLock { state -> (any NSObjectProtocol)? in
            guard let registration = state.registrations[name] else { return nil }
            if registration.uses > 1 {
                state.registrations[name]?.uses -= 1
                return nil
            }
            state.registrations[name] = nil
            return registration.token
        }
        if let token { foundation.removeObserver(token) }
    }
}
