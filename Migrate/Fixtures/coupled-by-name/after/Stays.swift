import Foundation
import Reactive

struct Reader {
    func read(_ places: Places) { rx(places.postingPlace) }
    func rx(_ center: NotificationCenter) { listen(on: center) }
}
