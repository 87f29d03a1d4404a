// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

@testable import SwitchyardDistributed

/// A network without another process.
final class LonelyNetwork: MeshNetwork {
    private let pipe = Pipe()

    func listen(as address: String) -> Int32 { dup(pipe.fileHandleForReading.fileDescriptor) }
    func publish(_ address: String) {}
    func withdraw(_ address: String) {}
    func addresses() -> [String] { [] }
    func connect(to address: String) -> Int32 { -ECONNREFUSED }
    func accept(from listener: Int32) -> Int32 { -EAGAIN }
    func process(behind descriptor: Int32) -> Int32 { 0 }
    func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int { -Int(EPIPE) }
    func receive(into bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int { 0 }
}
