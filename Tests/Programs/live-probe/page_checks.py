"""The checks of scripts/check-page, with Selenium and Chromium.

usage: page_checks.py ADDRESS PROCESS ADDRESS-OF-MANY-NAMES
       page_checks.py --picture ADDRESS FILE
"""

import http.client
import os
import re
import signal
import sys
import time

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service

# The figures of Tests/Programs/live-probe, a second.
RATES = {"“Fast”": 200, "“Steady”": 20, "“Unheared”": 10}


def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb"]:
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


class Page:
    def __init__(self, address, theme="light"):
        self.driver = browser()
        base, self.token = address.strip().split("#")
        self.base = base
        self.resize(1440, 900)
        self.driver.get(f"{base}?theme={theme}#{self.token}")
        self.until("the page is live", lambda: self.text("#live") == "Live" and self.all(".node.topic"))

    def resize(self, width, height):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0]).textContent", selector)

    def labels(self, selector):
        """For each node, what it says to those who do not see it."""
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.getAttribute('aria-label'))",
            selector,
        )

    def node(self, words):
        """The node that says so."""
        for made in self.all(".node"):
            if words in (made.get_attribute("aria-label") or ""):
                return made
        raise AssertionError(f"no node says {words}: {self.labels('.node')}")

    def until(self, what, is_so, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if is_so():
                return
            time.sleep(0.1)
        raise AssertionError(f"it never came to this: {what}")

    def press(self, *keys):
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def width(self):
        return self.script("return [document.documentElement.scrollWidth, window.innerWidth]")

    def console(self):
        return [line for line in self.driver.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]


def figure(words):
    """The number of a second that is said in words."""
    found = re.search(r"([0-9.,]+) (a second|a minute)", words)
    if not found:
        return 0.0
    number = float(found[1].replace(",", ""))
    return number / 60 if found[2] == "a minute" else number


def check_rates(page):
    """After the window of five seconds is full, each rate is within a tenth of what the program does."""
    time.sleep(7)
    topics = page.script(
        "return Object.fromEntries([...document.querySelectorAll('.node.topic')].map((node) =>"
        " [node.querySelector('.first').textContent, node.getAttribute('aria-label')]))"
    )
    for name, rate in RATES.items():
        seen = figure(topics[name])
        assert abs(seen - rate) <= rate / 10, f"{name} is posted {rate} times a second, and the page says {seen}"
    # The deliveries are counted: 200 inline and 200 on the worker.
    heard = [figure(words) for words in page.labels(".node.handler")]
    assert len([rate for rate in heard if abs(rate - 200) <= 20]) == 2, heard
    assert len([rate for rate in heard if abs(rate - 20) <= 2]) == 1, heard
    posts = float(page.text("#facts b").replace(",", ""))
    assert abs(posts - (200 + 20 + 10 + 8 * 5)) <= 27, f"{posts} posts a second"
    assert "every post is looked at" in page.text("#cost"), page.text("#cost")


def check_clicks(page):
    """A click on a handler, a name, a poster, a finding and a bar shows the answer, with file and line."""
    page.node("on main").click()
    page.until("a handler's answer", lambda: "holds main up" in page.text("#side .why"))
    side = page.text("#side")
    assert re.search(r"live[-_]probe/main\.swift:[0-9]+", side), side
    assert re.search(r"main\.swift:[0-9]+ takes up to [0-9]+ ms, (18|19|20|21|22) times a second", side), side
    assert "takes" in page.text("#said"), page.text("#said")
    # The slowest delivery of the last second is marked, with an arrow.
    page.until("a marked delivery", lambda: page.all(".bar.chosen") and page.all(".arrow"))
    page.node("“Unheared”").click()
    page.until("a name's answer", lambda: "Nobody hears it." in page.text("#side .why"))
    assert "“Unheard”" in page.text("#side").replace('"Unheard"', "“Unheard”")
    page.node("posted at").click()
    page.until("a poster's answer", lambda: "It posts" in page.text("#side .why"))
    assert re.search(r"main\.swift:[0-9]+", page.text("#side h2")), page.text("#side h2")
    finding = next(one for one in page.all("#finds button") if "Unheared" in one.text)
    finding.click()
    page.until("the answer of a finding", lambda: "“Unheared”" in page.text("#side h2"))
    page.script(
        "[...document.querySelectorAll('.bar.l3')][0].dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    page.until("a post's answer", lambda: page.text("#side .crumb") == "One post")
    assert "stands still" in page.text("#still")
    # An edge answers for its handler.
    page.script(
        "document.querySelector('.edge.l3 .hit').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    page.until("an edge's answer", lambda: "holds main up" in page.text("#side .why"))
    page.press(Keys.ESCAPE)
    page.until("no choice", lambda: not page.all(".node.chosen") and page.text("#still") == "")


def check_keyboard(page):
    """Tab comes to each node; arrows go to neighbours; Enter chooses; Escape lets go; focus is seen."""
    page.script("document.activeElement.blur(); document.getElementById('theme').focus()")
    page.press(Keys.TAB)
    seen = set()
    for _ in range(80):
        key = page.script("return document.activeElement.dataset.key || ''")
        if re.match("[pto]:", key):
            seen.add(key)
            stroke = page.script(
                "return getComputedStyle(document.activeElement.firstElementChild).strokeWidth")
            assert stroke == "3px", f"the focus is not seen: {stroke}"
        page.press(Keys.TAB)
    assert len(seen) == len(page.all(".node")), f"Tab came to {len(seen)} of {len(page.all('.node'))} nodes"
    page.script("arguments[0].focus()", page.node("“Steady”"))
    page.press(Keys.ARROW_RIGHT)
    focused = page.script("return document.activeElement.getAttribute('aria-label')")
    assert "on main" in focused, focused
    # An update moves the focus nowhere.
    time.sleep(1.5)
    page.press(Keys.ENTER)
    page.until("an answer", lambda: "holds main up" in page.text("#side .why"))
    assert page.script("return document.activeElement.getAttribute('aria-pressed')") == "true"
    page.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert "posted at" in page.script("return document.activeElement.getAttribute('aria-label')")
    page.press(Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ESCAPE)
    page.until("no choice", lambda: not page.all(".node.chosen"))
    # The keys go from bar to bar in a lane.
    page.script("document.querySelector('.lane').focus()")
    page.press(Keys.ARROW_LEFT)
    page.until("a bar is read out", lambda: re.search(r"main\.swift:[0-9]+, |“", page.script(
        "const lane = document.activeElement, bar = document.getElementById(lane.getAttribute('aria-activedescendant'));"
        "return lane.getAttribute('role') === 'listbox' && bar ? bar.getAttribute('aria-label') : ''")))
    page.press(Keys.ENTER)
    page.until("a post's answer", lambda: page.text("#side .crumb") == "One post")
    page.press(Keys.ESCAPE)
    page.until("no choice", lambda: page.text("#still") == "")


# The colour of each visible text, and the colours behind it. The next one counts behind a transparent one.
CONTRAST = r"""
const parse = (text) => {
  const found = /rgba?\(([^)]+)\)/.exec(text);
  if (!found) return null;
  const [r, g, b, a] = found[1].split(/[ ,/]+/).map(Number);
  return { r, g, b, a: a === undefined ? 1 : a };
};
const light = ({ r, g, b }) => {
  const [x, y, z] = [r, g, b].map((v) => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
  return .2126 * x + .7152 * y + .0722 * z;
};
const over = (one, other, share) => Object.fromEntries(["r", "g", "b"].map((c) => [c, one[c] * share + other[c] * (1 - share)]));
const ratio = (one, other) => {
  const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
  return (a + .05) / (b + .05);
};
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    if (at instanceof SVGElement && at.parentElement) {
      const shape = at.parentElement.querySelector(":scope > rect.pill, :scope > rect.badge, :scope > rect");
      const inside = at.classList.contains("count") ? at.parentElement.querySelector(".badge") : shape;
      if (at.tagName === "text" && inside) {
        const fill = parse(getComputedStyle(inside).fill);
        if (fill && fill.a === 1) return fill;
      }
    }
    const color = parse(getComputedStyle(at).backgroundColor);
    if (color && color.a === 1) return color;
  }
  return { r: 255, g: 255, b: 255, a: 1 };
};
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  const text = walker.currentNode.textContent.trim();
  if (!text || !element.checkVisibility() || element.closest(".unseen, title, option, [disabled], noscript, .skip")) continue;
  const style = getComputedStyle(element);
  const color = parse(element instanceof SVGElement ? style.fill : style.color);
  if (!color) continue;
  const value = ratio(color, behind(element));
  if (value < 4.5) found.push(`${text.slice(0, 40)}: ${value.toFixed(2)}`);
}
// The four steps, against what they lie on, and against each other.
const step = (n) => { const one = document.createElement("i"); one.style.color = `var(--l${n})`; document.body.append(one);
  const color = parse(getComputedStyle(one).color); one.remove(); return color; };
const steps = [0, 1, 2, 3].map(step);
const panel = parse(getComputedStyle(document.querySelector(".panel")).backgroundColor);
// The edges, which are seen through a little.
return [found, steps.map((one) => ratio(over(one, panel, arguments[0]), panel)), steps.map(light)];
"""


def check_contrast(page):
    """Every text has a contrast of 4.5 at least, in both themes, and the steps differ in lightness."""
    # Of edges while nothing is chosen: the others fade then.
    page.press(Keys.ESCAPE)
    page.until("that nothing is chosen", lambda: not page.all("svg.picked"))
    time.sleep(0.3)
    opacity = page.script("return Number(getComputedStyle(document.querySelector('.edge .seen')).opacity)")
    page.node("on main").click()
    page.until("an answer", lambda: "holds main up" in page.text("#side .why"))
    for theme in ["light", "dark"]:
        if page.script("return document.documentElement.dataset.theme") != theme:
            page.one("#theme").click()
        for view in ["#as-graph", "#as-table"]:
            page.one(view).click()
            time.sleep(0.8)
            faint, steps, lights = page.script(CONTRAST, opacity)
            assert not faint, f"texts that are hard to read, {theme}: {faint}"
            assert min(steps) > 1.6 and steps[2] >= 3 and steps[3] >= 3, f"steps that are hard to see, {theme}: {steps}"
            differences = [abs(a - b) for i, a in enumerate(lights) for b in lights[i + 1:]]
            assert min(differences) > 0.03, f"steps of the same lightness, {theme}: {lights}"
    page.one("#as-graph").click()
    page.one("#theme").click()
    page.one("body").send_keys(Keys.ESCAPE)


def check_widths(page):
    """Nothing is wider than the window."""
    for width in [1440, 1000, 400, 320]:
        page.resize(width, 900)
        for view in ["#as-graph", "#as-table"]:
            page.one(view).click()
            time.sleep(0.7)
            content, window = page.width()
            assert content <= window, f"the page is {content} wide in a window of {window}, {view}"
    page.one("#as-graph").click()
    page.resize(1440, 900)


def check_table(page):
    """The table has what the graph has."""
    page.one("#as-table").click()
    page.until("a table", lambda: page.one("#rows tr").is_displayed())
    rows = page.script("return [...document.querySelectorAll('#rows tr')].map((row) => row.innerText)")
    fast = [row for row in rows if "“Fast”" in row]
    assert len(fast) == 2 and all(re.search(r"main\.swift:[0-9]+", row) for row in fast), rows
    assert any("“Unheared”" in row and "nobody hears it" in row for row in rows), rows
    page.one("#as-graph").click()
    ways = len(page.all(".edge[data-key^='e:t:']")) + len(page.all(".node.unheard"))
    assert len(rows) == ways, f"{len(rows)} rows, and {ways} ways to handlers and names without any"


def check_hostile(page):
    """Names that are code, or long, or from right to left, are texts."""
    names = page.script("return [...document.querySelectorAll('#rows bdi')].map((one) => one.textContent)")
    assert "“<img src=x onerror=\"document.title='owned'\">”" in names, names
    assert any("שלום" in name for name in names), names
    assert any(r"\u202egnirts" in name.lower() for name in names), names
    assert any(r"one line\nand\r\nanother" in name for name in names), names
    assert max(len(name) for name in names) <= 130, max(names, key=len)
    assert not any(character in name for name in names for character in "\n\r\0\x1b\u202e"), names
    contexts = page.script("return [...document.querySelectorAll('.context .name')].map((one) => one.textContent)")
    assert "thread <b>bold</b>" in contexts, contexts
    assert page.script("return document.querySelectorAll('img, b b, #graph b').length") == 0
    assert "live-probe" in page.driver.title, page.driver.title
    page.node("<img src=x").click()
    page.until("the answer", lambda: "<img src=x" in page.text("#side h2"))
    content, window = page.width()
    assert content <= window
    page.one("body").send_keys(Keys.ESCAPE)


def check_pause(page):
    page.one("#pause").click()
    page.until("it is paused", lambda: page.text("#live") == "Paused")
    assert "no posts are recorded" in page.text("#cost")
    page.one("#pause").click()
    page.until("it is live", lambda: page.text("#live") == "Live")
    page.script(
        "const box = document.getElementById('budget'); box.value = '2000'; box.dispatchEvent(new Event('change'))")
    page.until("a choice of how much is looked at", lambda: "2,000 a second" in page.text("#side") or
               page.script("return document.getElementById('budget').value") == "2000")
    page.script(
        "const box = document.getElementById('budget'); box.value = '20000'; box.dispatchEvent(new Event('change'))")


def check_reload(page):
    """A page that was let in stays so, and the token is in no history."""
    assert "#" not in page.driver.current_url, page.driver.current_url
    page.driver.refresh()
    page.until("the page is live again", lambda: page.text("#live") == "Live" and page.all(".node.topic"))
    assert "HttpOnly" not in page.script("return document.cookie") and page.script("return document.cookie") == ""


def check_strangers(page):
    """Another browser, host, page or cookie is refused."""
    host = page.base.split("/")[2]
    room = page.script("return sessionStorage.getItem('room')")

    def status(method, path, **headers):
        connection = http.client.HTTPConnection(host)
        body = headers.pop("body", None)
        made = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body=body, headers=made)
        return connection.getresponse().status

    here = f"http://{host}"
    assert status("GET", "/") == 200
    assert status("GET", "/", Host="evil.example") == 403
    assert status("POST", "/enter", Origin=here, body=page.token) == 401
    assert status("POST", "/enter", Origin="http://evil.example", body=page.token) == 403
    assert status("GET", room + "updates") == 401
    assert status("GET", room + "updates", Cookie="switchyard=" + "0" * 32) == 401
    assert status("POST", room + "command", Origin=here, body='{"pause":true}') == 401
    other = Page.__new__(Page)
    other.driver = browser()
    try:
        other.driver.get(f"{page.base}#{page.token}")
        other.until("a stranger is told so", lambda: "has been used already" in other.text("#banner"))
        assert not other.all(".node")
        lines = other.console()
        assert all("/enter" in line["message"] for line in lines), lines
    finally:
        other.driver.quit()


def check_many(address):
    """Over 40 nodes of a side, the rest is one."""
    page = Page(address)
    try:
        time.sleep(4)
        for kind in ["topic", "handler"]:
            count = len(page.all(f".node.{kind}"))
            assert count == 40, f"{count} nodes of kind {kind}"
        assert any("more names" in label for label in page.labels(".node.topic"))
        for width in [1440, 1000, 400]:
            page.resize(width, 900)
            time.sleep(0.7)
            content, window = page.width()
            assert content <= window, f"{content} in {window}"
        assert not page.console(), page.console()
    finally:
        page.driver.quit()


def check_end(page, process):
    """A process that was killed is said to have ended, and the page stays."""
    os.kill(process, signal.SIGKILL)
    words = f"live-probe (PID {process}) has ended"
    page.until("the end is said", lambda: words in page.text("#banner"))
    assert page.one("#banner").is_displayed()
    assert words in page.text("#said")
    assert page.text("#live") == "Ended"
    assert page.all(".node.topic"), "the picture has gone"
    page.driver.refresh()
    page.until("the end is still said", lambda: words in page.text("#banner") and page.all(".node.topic"))


def take_picture(address, file):
    page = Page(address, theme="dark")
    try:
        page.resize(1440, 900)
        time.sleep(12)
        page.node("ThumbnailGrid.swift:17").click()
        page.until("the answer", lambda: "ThumbnailGrid" in page.text("#side h2"))
        time.sleep(2)
        page.script("document.activeElement.blur()")
        page.driver.save_screenshot(file)
    finally:
        page.driver.quit()
    print(f"the picture is in {file}")


def main():
    if sys.argv[1] == "--picture":
        return take_picture(*sys.argv[2:])
    address, process, many = sys.argv[1:]
    check_many(many)
    page = Page(address)
    try:
        for check in [
            check_rates, check_clicks, check_keyboard, check_table, check_hostile, check_contrast,
            check_widths, check_pause, check_reload,
        ]:
            check(page)
            print(f"{check.__name__}: as it should be", flush=True)
        assert not page.console(), page.console()
        check_strangers(page)
        check_end(page, int(process))
        lines = page.console()
        assert not lines, lines
    finally:
        page.driver.quit()
    print("the live page is as it should be")


main()
