// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

/// Whether two property lists are the same: types and bits, not what `==` takes for equal.
///
/// The fuzzer uses this file too, through a link.
func isSame(_ left: Any, _ right: Any) -> Bool {
    // Arrays and dictionaries come first, since those of several types are the same property list.
    if let left = left as? [Any], let right = right as? [Any] {
        return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
    }
    if let left = left as? [String: Any], let right = right as? [String: Any] {
        return left.count == right.count
            && left.allSatisfy { key, value in
                // `==` found the key, and takes another spelling of é for the same, so compare the
                // bytes.
                guard let place = right.index(forKey: key) else { return false }
                let entry = right[place]
                return entry.key.utf8.elementsEqual(key.utf8) && isSame(value, entry.value)
            }
    }
    guard type(of: left) == type(of: right) else { return false }
    return switch (left, right) {
    case (let left as String, let right as String): left.utf8.elementsEqual(right.utf8)
    case (let left as Double, let right as Double): left.bitPattern == right.bitPattern
    case (let left as Float, let right as Float): left.bitPattern == right.bitPattern
    case (let left as Date, let right as Date):
        left.timeIntervalSinceReferenceDate.bitPattern
            == right.timeIntervalSinceReferenceDate.bitPattern
    case (let left as AnyHashable, let right as AnyHashable): left == right
    default: false
    }
}
