// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Fuzzing
import SwitchyardDistributed
import SwitchyardWire

/// A target for any bytes, which are malformed, or a property list that comes back from its encoding.
@main enum FuzzPropertyList {
    static func main() {
        fuzz { start, count in
            FuzzPropertyList.test(UnsafeRawBufferPointer(start: start, count: count))
            return 0
        }
    }

    private static func test(_ bytes: UnsafeRawBufferPointer) {
        let userInfo = try? PropertyListCoding.decodeUserInfo(bytes)
        do throws(MalformedBytes) {
            let value = try PropertyListCoding.decode(bytes)
            precondition(comesBack(value, from: bytes.count), "another value comes back")
            precondition((userInfo != nil) == (value is [String: Any]), "a dictionary is userInfo")
            if let userInfo { precondition(isSame(userInfo, value), "userInfo is the dictionary") }
        } catch {
            precondition((0...bytes.count).contains(error.offset), "the error lies elsewhere")
            precondition(userInfo == nil, "userInfo of malformed bytes")
        }
    }

    /// Entries may come in another order, so that the bytes are not compared.
    private static func comesBack(_ value: Any, from count: Int) -> Bool {
        var writer = ByteWriter()
        do {
            // The encoding has as many bytes: each value can be written in one way.
            try PropertyListCoding.encode(value, into: &writer, limit: count)
            return try writer.count == count
                && writer.withBytes { isSame(try PropertyListCoding.decode($0), value) }
        } catch {
            fatalError("what was decoded is refused: \(error)")
        }
    }
}
