// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
/// The files that everybody gets. They have nothing of the process in them.
enum PageFile {
    /// The file at a path; nil if there is none.
    static func answer(_ path: String) -> PageAnswer? {
        switch path {
        case "/": PageAnswer(type: "text/html; charset=utf-8", body: PackageResources.page_html)
        case "/page.css":
            PageAnswer(type: "text/css; charset=utf-8", body: PackageResources.page_css)
        case "/page.js":
            PageAnswer(type: "text/javascript; charset=utf-8", body: PackageResources.page_js)
        case "/page.svg": PageAnswer(type: "image/svg+xml", body: PackageResources.page_svg)
        default: nil
        }
    }
}
#endif
