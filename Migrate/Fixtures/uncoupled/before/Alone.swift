import Foundation

final class Alone { func post() { NotificationCenter.default.post(name: .init("a"), object: nil) } }
