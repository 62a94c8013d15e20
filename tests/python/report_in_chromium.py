"""The report in a real browser: no console message, no network, no overflow.

usage: report_in_chromium.py GYRE WEATHER_LOSS

Skipped where there is no chromium (Debian: chromium).
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77

# Asks the page, at the width of a laptop and of a phone, whether something
# sticks out of it, and whether its charts have lines.
PROBE = """<script>
const root = document.documentElement;
const found = [];
for (const width of [1200, 360]) {
  root.style.width = width + "px";
  found.push(Math.max(0, document.body.scrollWidth - width));
}
root.style.width = "";
const lines = document.querySelectorAll(".plot svg .line").length;
const tip = document.querySelector(".plot");
const box = tip.getBoundingClientRect();
tip.dispatchEvent(new PointerEvent("pointermove",
    {clientX: box.left + box.width / 2, clientY: box.top + 5}));
document.body.dataset.probe = JSON.stringify(
    {found, lines, tip: tip.querySelector(".tip").textContent});
</script>"""


def main(gyre: str, weather_loss: str) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        print("skipped: no chromium")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        subprocess.run(
            [weather_loss, "--data", "synthetic", "--loss", "mse", "--steps",
             "80", "--inject", "nan_grad@rank=0,step=50", "--out", str(run)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([gyre, "report", str(run)], check=True,
                       stdout=subprocess.DEVNULL)
        page = (run / "report.html").read_text()
        probed = run / "probed.html"
        probed.write_text(page.replace("</body>", PROBE + "</body>"))
        result = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu",
             "--enable-logging=stderr", "--window-size=1200,900",
             f"--user-data-dir={folder}/profile", "--dump-dom",
             probed.as_uri()],
            capture_output=True, text=True, timeout=100, check=True)

    console = [line for line in result.stderr.splitlines()
               if "CONSOLE" in line]
    assert not console, console
    assert not re.search(r"(src|href)=[\"']?(http|//)", page)
    probe = re.search(r'data-probe="([^"]*)"', result.stdout)
    assert probe, "the probe did not run"
    text = probe.group(1).replace("&quot;", '"')
    assert '"found":[0,0]' in text, text
    assert not re.search(r'"lines":[0-3],', text), text
    assert re.search(r'"tip":"\d+: ', text), text
    print(f"no console message, nothing sticks out: {text}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
