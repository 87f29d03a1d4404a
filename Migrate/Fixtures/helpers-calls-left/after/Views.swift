import UIKit

extension Heir {
    func startView() { shown(#selector(plain)) }
}
