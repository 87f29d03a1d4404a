// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

// Words about a number that does not fit, with the way to it.
extension JSONReading {
    /// A key of an object, or a position in an array.
    private struct Step: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }

        init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }
    }

    /// Returns the words for a number that does not fit. Walks over all values before it.
    func context(of misfit: NumberMisfit) -> DecodingError.Context {
        let number = text(of: tape[misfit.index]).shortened(to: Self.longestShown)
        return DecodingError.Context(
            codingPath: path(to: misfit.index),
            debugDescription: "the number \(number) does not fit in \(misfit.type)")
    }

    /// The most characters of a number, or of a key, that errors show.
    private static var longestShown: Int { 100 }

    /// The keys and positions that lead from the outermost object to the value at `index`.
    private func path(to index: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var container = 0
        while let (step, value) = step(towards: index, in: container) {
            path.append(step)
            container = value
        }
        return path
    }

    /// The item of a container that is the value at `index`, or that has it inside; nil if the
    /// container is that value itself.
    private func step(towards index: Int, in container: Int) -> (Step, item: Int)? {
        let isObject = tape[container].kind == .object
        guard index > container, isObject || tape[container].kind == .array else { return nil }
        var (entry, position) = (container + 1, 0)
        while entry < tape[container].next {
            let value = isObject ? entry + 1 : entry
            let next = Int(tape[value].next)
            if index < next {
                let step =
                    isObject
                    ? Step(stringValue: text(of: tape[entry]).shortened(to: Self.longestShown))
                    : Step(intValue: position)
                return (step, value)
            }
            (entry, position) = (next, position + 1)
        }
        return nil
    }
}
