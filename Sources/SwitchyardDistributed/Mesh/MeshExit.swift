// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// What happens when the process exits in an orderly way: what was posted still leaves, and the
/// sockets go.
enum MeshExit {
    /// Those that have begun and not stopped. Not held weakly: an object to which somebody has a weak
    /// reference is slow to count references to, and a mesh stops before it goes.
    private static let meshes: Guarded<[Mesh]> = {
        atexit { MeshExit.leave() }
        return Guarded([])
    }()

    static func add(_ mesh: Mesh) {
        meshes.withLock { $0.append(mesh) }
    }

    static func remove(_ mesh: Mesh) {
        meshes.withLock { meshes in meshes.removeAll { $0 === mesh } }
    }

    private static func leave() {
        let meshes = meshes.withLock { $0 }.filter { !$0.isForked }
        for mesh in meshes {
            // For as long as something goes out, and not for ever: a process that does not read, or
            // hardly, is not waited for.
            var waiting = Int.max
            let end = ContinuousClock.now + .seconds(5)
            while ContinuousClock.now < end {
                if mesh.blockingFlush(within: .milliseconds(250)).isEmpty { break }
                let now = mesh.bytesThatWait
                if now >= waiting { break }
                waiting = now
            }
            mesh.stop()
        }
    }
}

extension Mesh {
    /// How many bytes have not left the process.
    var bytesThatWait: Int {
        state.withLock { state in
            state.outlets.values.reduce(0) { $0 + $1.queue.count }
                + state.backlogs.values.reduce(0) { $0 + $1.frames.count }
        }
    }
}
