// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The orderly exit of the process: posted notifications are still written, and the sockets are
/// removed.
enum MeshExit {
    /// The meshes that have started and not stopped. The references are strong: counting references
    /// is slow for an object that has weak ones, and a mesh is removed here before it is released.
    private static let meshes: Guarded<[Mesh]> = {
        atexit { MeshExit.leave() }
        let meshes = Guarded<[Mesh]>([])
        // A forked child exits as well.
        meshes.holdAcrossForks()
        return meshes
    }()

    /// All meshes of this process that have started and not stopped.
    static var all: [Mesh] { meshes.withLock { $0 } }

    static func add(_ mesh: Mesh) {
        meshes.withLock { $0.append(mesh) }
    }

    static func remove(_ mesh: Mesh) {
        meshes.withLock { meshes in meshes.removeAll { $0 === mesh } }
    }

    private static func leave() {
        let meshes = meshes.withLock { $0 }.filter { !$0.isForked }
        for mesh in meshes {
            mesh.readElsewhere()
            mesh.writer.writeElsewhere(for: mesh)
        }
        var leaving = meshes.map { (mesh: $0, departure: $0.beginDeparture()) }
        awaitSettled(&leaving[...])
        for (index, mesh) in meshes.enumerated() {
            mesh.stop()
            // Another thread may have begun to stop it.
            mesh.awaitEnd()
            awaitSettled(&leaving[(index + 1)...])
        }
    }

    /// Blocks until nothing waits for a peer that still takes what it gets.
    private static func awaitSettled(
        _ leaving: inout ArraySlice<(mesh: Mesh, departure: Departure)>
    ) {
        while true {
            // All of them each time, because each call notes which peers took something.
            let waiting = leaving.indices.filter {
                leaving[$0].mesh.mustWait(in: &leaving[$0].departure)
            }
            guard let first = waiting.first else { return }
            leaving[first].mesh.blockUntilSettled(within: Departure.round)
        }
    }
}
