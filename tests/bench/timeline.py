#!/usr/bin/env python3
# timeline.py -- draw the stages of one run over time, from --stats=json
# SPDX-License-Identifier: MIT
#
# usage: gsort --stats=json in.bin -o out.bin 2>stats.json; timeline.py [TITLE] <stats.json >run.svg
#
# Each stage that ran has a bar from begin_ms to end_ms. Its darker part is as long as ms, the time
# spent in the stage; for the rest, the stage waited or shared its threads with other stages.
import html
import json
import sys

LEFT, RIGHT, ROW, TOP, WIDTH = 120, 90, 22, 44, 900
COLOURS = {"cpu": ("#c6d8ef", "#3b6fb6"), "gpu": ("#cfe8c9", "#4c9a3f")}


def choose_step(total):
    """Milliseconds between two lines of the grid: 1, 2 or 5 times a power of ten."""
    step = 1e-3
    while total / step > 12:
        for factor in (2, 2.5, 2):
            step *= factor
            if total / step <= 12:
                break
    return step


def text(x, y, words, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'


def draw(stats, title):
    rows = [row for row in stats["stages"] if row["device"]]
    total = max([stats["total_ms"]] + [row["end_ms"] for row in rows])
    scale = (WIDTH - LEFT - RIGHT) / total if total > 0 else 0
    height = TOP + ROW * len(rows) + 26
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
             f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>', text(LEFT, 18, title)]
    step = choose_step(total)
    for i in range(int(total / step) + 1 if total > 0 else 1):
        x = LEFT + i * step * scale
        lines.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{height - 26}" '
                     'stroke="#dddddd"/>')
        lines.append(text(x, height - 10, f"{i * step:g}", "middle"))
    lines.append(text(WIDTH - RIGHT + 8, height - 10, "ms"))
    for i, row in enumerate(rows):
        y = TOP + i * ROW
        light, dark = COLOURS[row["device"]]
        begin = LEFT + row["begin_ms"] * scale
        span = max((row["end_ms"] - row["begin_ms"]) * scale, 1)
        spent = min(row["ms"] * scale, span)
        lines.append(text(LEFT - 8, y + 12, row["name"], "end"))
        lines.append(f'<rect x="{begin:.1f}" y="{y}" width="{span:.1f}" height="{ROW - 6}" '
                     f'fill="{light}"/>')
        lines.append(f'<rect x="{begin:.1f}" y="{y}" width="{spent:.1f}" height="{ROW - 6}" '
                     f'fill="{dark}"/>')
        lines.append(text(begin + span + 4, y + 12, f'{row["ms"]:.1f}'))
    lines.append("</svg>")
    return "\n".join(lines)


def main():
    stats = json.load(sys.stdin)
    if stats["version"] != 2:
        sys.exit(f'timeline.py: statistics of version {stats["version"]}, not 2')
    keys = stats["keys_in"]
    title = f'{keys} keys, {stats["device"]} ({stats["device_text"]}), {stats["total_ms"]:.0f} ms'
    print(draw(stats, sys.argv[1] if len(sys.argv) > 1 else title))


main()
