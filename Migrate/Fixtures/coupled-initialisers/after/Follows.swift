import Foundation

final class Shelf {
    private let places = NotificationCenter.default

    func reader() -> Reader { Reader(center: places) }
}
