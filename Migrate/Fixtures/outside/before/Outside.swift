import Foundation
import Library

final class Client: LibraryClient {
    override var center: NotificationCenter { .default }
}
