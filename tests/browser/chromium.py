"""A headless Chromium, driven over its own pipe: no other package is needed."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"]
PACKAGE = "chromium-headless-shell"


def find():
    """The path of a Chromium; installed where that is possible, None where none can be had."""
    given = os.environ.get("CHROMIUM")
    if given:
        return shutil.which(given)
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and os.geteuid() == 0 and shutil.which("apt-get") and os.environ.get("PLANTOOLS_INSTALL"):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", PACKAGE], check=False, **quiet)
        found = shutil.which(PACKAGE)
    return found


class Browser:
    """One page at a time; what it says on its console is kept."""

    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="plantools-browser-")
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        command = [path, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
                   "--no-first-run", "--disable-dev-shm-usage", f"--user-data-dir={self.folder}", "about:blank"]
        # The browser reads from descriptor 3 and writes to 4.
        shell = ["sh", "-c", f'exec 3<&{to_read} 4>&{to_write}; exec "$@"', "sh", *command]
        self.process = subprocess.Popen(shell, pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number, self.rest, self.said, self.asked, self.session = 0, b"", [], [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def read(self):
        while b"\0" not in self.rest:
            got = os.read(self.back, 1 << 20)
            if not got:
                raise RuntimeError("the browser has ended")
            self.rest += got
        line, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(line)
        self.note(message)
        return message

    def note(self, message):
        """Keeps errors of the console and every address that is asked for."""
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.said.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled":
            self.said.append(f"console.{params['type']}: {params['args'][:1]}")
        elif method == "Log.entryAdded":
            self.said.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.asked.append(params["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.said.append(f"dialog: {params['message']}")

    def open(self, path, wide=1440, high=900, dark=False, hash=""):
        self.said, self.asked = [], []
        self.call("Emulation.setDeviceMetricsOverride", width=wide, height=high, deviceScaleFactor=1, mobile=wide < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.call("Page.navigate", url="about:blank")
        self.said, self.asked = [], []
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}{hash}")
        self.until("document.documentElement && document.documentElement.dataset.ready === 'yes'")

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", script))
        return answer["result"].get("value")

    def until(self, script, seconds=60):
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({script})"):
            if time.monotonic() > end:
                raise RuntimeError(f"not so after {seconds} s: {script}; {self.said}")
            time.sleep(0.05)

    def key(self, key, code=None):
        for kind in ("keyDown", "keyUp"):
            params = {"type": kind, "key": key, "code": code or key}
            if len(key) == 1 and kind == "keyDown":
                params["text"] = key
            if key == "Enter" and kind == "keyDown":
                params.update(text="\r", windowsVirtualKeyCode=13)
            if key == "Tab":
                params["windowsVirtualKeyCode"] = 9
            if key == "Escape":
                params["windowsVirtualKeyCode"] = 27
            self.call("Input.dispatchKeyEvent", **params)

    def picture(self, path, whole=True):
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as out:
            out.write(base64.b64decode(answer["data"]))

    def names(self):
        """What a screen reader is told: role and name of everything that has one."""
        self.call("Accessibility.enable")
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        value = lambda node, key: (node.get(key) or {}).get("value") or ""
        return [(value(node, "role"), value(node, "name")) for node in nodes if not node.get("ignored")]
