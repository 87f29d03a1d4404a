// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The peers that get the notifications of one name and object.
final class Route {
    let name: String
    let object: String?
    /// The bytes of name and object, as they stand in a frame.
    let topic: [UInt8]
    let nameLength: Int
    /// The connections to the peers. Not retained: a route is forgotten before an outlet is
    /// released.
    let targets: [Unmanaged<Outlet>]

    init(name: String, object: String?, targets: [Unmanaged<Outlet>]) {
        self.name = name
        self.object = object
        topic = Array(name.utf8) + Array((object ?? "").utf8)
        nameLength = name.utf8.count
        self.targets = targets
    }
}

/// The routes of recent posts, so that the peers' interests are searched once for many posts.
struct Routes: ~Copyable {
    /// The routes, retained here and lent to posts: counting references for each post would take
    /// longer than finding the route.
    private var known: [Unmanaged<Route>?] = Array(repeating: nil, count: 256)

    deinit { for route in known { route?.release() } }

    /// Returns the route stored for this name and object. Valid until routes are forgotten or
    /// another is stored.
    @inline(__always)
    func find(_ name: String, _ object: String?, hash: UInt) -> Unmanaged<Route>? {
        guard let route = known[Int(hash & 255)],
            route._withUnsafeGuaranteedRef({ $0.name == name && $0.object == object })
        else { return nil }
        return route
    }

    mutating func store(_ route: Route, hash: UInt) -> Unmanaged<Route> {
        let stored = Unmanaged.passRetained(route)
        known[Int(hash & 255)]?.release()
        known[Int(hash & 255)] = stored
        return stored
    }

    /// Forgets all routes. To be called whenever a peer comes or goes, or its interests change.
    mutating func forgetAll() {
        for index in known.indices {
            known[index]?.release()
            known[index] = nil
        }
    }

    @inline(__always)
    static func hash(_ topic: Topic, _ object: String?) -> UInt {
        object.map { topic.hash &* 31 &+ Topic.name($0).hash } ?? topic.hash
    }
}
