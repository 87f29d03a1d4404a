// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardInspection

/// The names that somebody observes, to find the one that is nearest to a name that nobody does.
struct NearNames {
    private struct Entry {
        let name: String
        let letters: [Unicode.Scalar]
    }

    private var byLength: [Int: [Entry]] = [:]
    /// The longest name for which a near one is looked for, in bytes: the search takes the square of
    /// the length. Longer ones are not typed by hand.
    private static let longest = 200

    init(_ names: Set<String>) {
        // In order, so that the same one is found each time.
        for name in names.sorted() where name.utf8.count <= Self.longest {
            let letters = Array(name.unicodeScalars)
            byLength[letters.count, default: []].append(Entry(name: name, letters: letters))
        }
    }

    /// The name that differs in the fewest letters; nil if none is near.
    ///
    /// - Parameter limit: the comparisons that may be made, of names of the same length first: a
    ///   process may have a hundred thousand. If there are more, only a name with one letter more,
    ///   less or changed is taken for near.
    func nearest(to name: String, comparing limit: Int) -> String? {
        var left = limit
        guard name.utf8.count <= Self.longest else { return nil }
        let letters = Array(name.unicodeScalars)
        var farthest = max(2, letters.count / 4)
        var near: (name: String, distance: Int)?
        var difference = 0
        while difference <= farthest {
            for length in Set([letters.count - difference, letters.count + difference]).sorted() {
                for entry in byLength[length] ?? [] {
                    if left == 0 { return near.flatMap { $0.distance <= 1 ? $0.name : nil } }
                    left -= 1
                    guard let distance = editDistance(letters, entry.letters, atMost: farthest)
                    else { continue }
                    if let best = near, (best.distance, best.name) < (distance, entry.name) {
                        continue
                    }
                    near = (entry.name, distance)
                    farthest = distance
                }
            }
            difference += 1
        }
        return near?.name
    }
}

/// The number of letters to add, remove or change to make one text of the other; nil if it is more
/// than `most`.
func editDistance(
    _ one: [Unicode.Scalar], _ other: [Unicode.Scalar], atMost most: Int
) -> Int? {
    if abs(one.count - other.count) > most { return nil }
    var row = Array(0...other.count)
    for i in one.indices {
        var previous = row[0]
        row[0] = i + 1
        var least = row[0]
        for j in other.indices {
            let change = previous + (one[i] == other[j] ? 0 : 1)
            previous = row[j + 1]
            row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
            least = min(least, row[j + 1])
        }
        // No later row has less than the least of this one.
        if least > most { return nil }
    }
    return row[other.count] <= most ? row[other.count] : nil
}
