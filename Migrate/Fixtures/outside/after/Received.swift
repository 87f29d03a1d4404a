import Foundation
import Library

func postThere() {
    let center: NotificationCenter = LibrarySession.sharedCenter
    center.post(name: .init("a"), object: nil)
}
