import Foundation

// No center here, and two blanks at the end of this line:  
extension Notification.Name { static let unrelated = Notification.Name("unrelated") }
