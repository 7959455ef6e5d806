from __future__ import annotations

import subprocess
import sys

LOADED = "py3langid, pagelets.methods.judged.method"


def test_what_the_first_page_needs_is_loaded():
    asked = (
        "import sys; from inspection.page_view import warm; warm(); "
        f"print({{*'{LOADED}'.split(', ')}} - sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
