"""A headless Chromium, driven over the W3C WebDriver protocol by what Python brings along."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# What the protocol calls keys that are no letters.
ENTER, SPACE, TAB, CONTROL, ESCAPE = "\ue007", " ", "\ue004", "\ue009", "\ue00c"
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--hide-scrollbars"]


def is_here():
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


class Browser:
    """One page at a time. `close` ends the browser and its driver."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.log = open(os.path.join(self.folder.name, "driver.log"), "w+")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=self.log, stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            self.root = f"http://127.0.0.1:{self._port()}"
            self.session = self._begin()
        except BaseException:
            self._end_driver()
            raise

    def _port(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with open(self.log.name) as log:
                found = re.search(r"started successfully on port (\d+)", log.read())
            if found:
                return int(found.group(1))
            time.sleep(0.05)
        raise TimeoutError("chromedriver did not start")

    def _begin(self):
        options = {
            "binary": shutil.which("chromium"),
            "args": [*ARGUMENTS, f"--user-data-dir={self.folder.name}/profile"],
        }
        wanted = {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        answer = self._send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        return answer["sessionId"]

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def _ask(self, method, path, body=None):
        return self._send(method, f"/session/{self.session}{path}", body)

    def _end_driver(self):
        try:
            os.killpg(self.driver.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.driver.wait()
        self.log.close()
        self.folder.cleanup()

    def close(self):
        try:
            self._ask("DELETE", "")
        finally:
            self._end_driver()

    def open(self, path):
        self._ask("POST", "/url", {"url": "file://" + os.path.abspath(path)})

    def run(self, script, *arguments):
        """What the script, the body of a function, returns."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def width(self, pixels, height=900):
        self.devtools("Emulation.setDeviceMetricsOverride", width=pixels, height=height,
                      deviceScaleFactor=1, mobile=False)

    def keys(self, *keys):
        """Each key in turn to what has the focus; a tuple is keys held together."""
        actions = []
        for key in keys:
            held = key if isinstance(key, tuple) else (key,)
            actions += [{"type": "keyDown", "value": one} for one in held]
            actions += [{"type": "keyUp", "value": one} for one in reversed(held)]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def complaints(self):
        """What stands in the console since it was last asked."""
        entries = self._ask("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries]

    def requests(self):
        """The addresses that were asked for since they were last asked for here."""
        addresses = []
        for entry in self._ask("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                addresses.append(message["params"]["request"]["url"])
        return addresses

    def picture(self, path):
        """The whole page as a PNG file."""
        import base64

        size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.devtools("Page.captureScreenshot", captureBeyondViewport=True,
                             clip={**size, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
