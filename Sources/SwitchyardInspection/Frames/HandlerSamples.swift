// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardWire

/// The handlers that threads were found in, counted over many looks.
package struct HandlerSamples: Equatable, Sendable {
    /// One thread that was found inside a handler.
    package struct Thread: Equatable, Sendable {
        /// The system's number of the thread.
        package var number: Int32
        package var name: String
        /// The numbers of looks that found the thread in a registration's handler, by registration.
        package var looks: [UInt64: UInt32]
    }

    /// The number of looks.
    package var looks: UInt32
    package var threads: [Thread]

    init(looks: UInt32, threads: [Thread]) {
        self.looks = looks
        self.threads = threads
    }

    /// The numbers of looks that found any thread in a registration's handler, added up, by
    /// registration.
    package var looksByRegistration: [UInt64: UInt32] {
        threads.reduce(into: [:]) { sum, thread in sum.merge(thread.looks, uniquingKeysWith: &+) }
    }
}

extension HandlerSamples {
    /// No looks.
    package static var none: HandlerSamples { HandlerSamples(looks: 0, threads: []) }

    /// Adds later looks.
    package static func += (sum: inout HandlerSamples, later: HandlerSamples) {
        // Numbers come from another process, which may send any.
        sum.looks &+= later.looks
        for thread in later.threads {
            if let index = sum.threads.firstIndex(where: { $0.number == thread.number }) {
                sum.threads[index].looks.merge(thread.looks, uniquingKeysWith: &+)
            } else {
                sum.threads.append(thread)
            }
        }
    }
}

// MARK: - In this process

extension HandlerSamples {
    /// Looks a number of times, with a pause after each. For a thread of its own.
    ///
    /// - Parameter pause: makes the pause; false ends the looks.
    static func take(looks: UInt32, pause: () -> Bool) -> HandlerSamples {
        let known = Set(CenterDirectory.centers.flatMap(\.registrationIDs))
        var found: [Int32: [UInt64: UInt32]] = [:]
        var taken: UInt32 = 0
        while taken < looks {
            HandlerSampler.look(among: known) { found[$0, default: [:]][$1, default: 0] += 1 }
            taken += 1
            if !pause() { break }
        }
        let threads = found.sorted { $0.key < $1.key }.map { number, looks in
            Thread(number: number, name: ThreadNames.name(of: number), looks: looks)
        }
        return HandlerSamples(looks: taken, threads: threads)
    }
}

// MARK: - As bytes

extension HandlerSamples {
    func write(to writer: inout ByteWriter) {
        writer.append(looks)
        writer.append(UInt32(clamping: threads.count))
        for thread in threads {
            writer.append(UInt32(bitPattern: thread.number))
            writer.append(short: thread.name)
            writer.append(UInt32(clamping: thread.looks.count))
            for (registration, looks) in thread.looks.sorted(by: { $0.key < $1.key }) {
                writer.append(registration)
                writer.append(looks)
            }
        }
    }

    init(_ reader: inout ByteReader) throws {
        looks = try reader.readUInt32()
        threads = []
        for _ in 0..<(try reader.readCount(ofSize: 10)) {
            let number = Int32(bitPattern: try reader.readUInt32())
            let name = try reader.shortString()
            var looks: [UInt64: UInt32] = [:]
            for _ in 0..<(try reader.readCount(ofSize: 12)) {
                let registration = try reader.readUInt64()
                looks[registration] = try reader.readUInt32()
            }
            threads.append(Thread(number: number, name: name, looks: looks))
        }
    }
}
