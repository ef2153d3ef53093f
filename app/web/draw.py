"""SVG in, PNG out, in a process of its own: drawing takes a good part of a second and lets nothing
else run in its process meanwhile.
"""

from __future__ import annotations

import sys

from resvg_py import svg_to_bytes

if __name__ == "__main__":
    sys.stdout.buffer.write(bytes(svg_to_bytes(svg_string=sys.stdin.read())))
