// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The byte before each value that tells its type. ``PropertyListCoding`` has the table.
package enum PropertyListTag: UInt8 {
    case `false` = 0x01
    case `true` = 0x02

    case int = 0x10
    case int8 = 0x11
    case int16 = 0x12
    case int32 = 0x13
    case int64 = 0x14
    case uint = 0x18
    case uint8 = 0x19
    case uint16 = 0x1a
    case uint32 = 0x1b
    case uint64 = 0x1c

    case double = 0x20
    case float = 0x21

    case string = 0x30
    case data = 0x31
    case date = 0x32

    case array = 0x40
    case dictionary = 0x41
}
