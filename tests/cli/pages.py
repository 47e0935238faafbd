"""Pages of --report as a browser shows them, for page_test and panels_test."""
import re

import browser


def dom_of(b, name):
    """The page as it is once its scripts have run; None without a browser."""
    if not browser.PROGRAM:
        print('skipped: there is no chromium on this host')
        return None
    page = browser.look('file://' + b.path(name))
    return page[page.index('<body'):]


def shown(dom):
    """Without the data and the scripts, and without titles, in which "<" is no markup."""
    return re.sub(r'title="[^"]*"', '', re.sub(r'<script.*?</script>', '', dom, flags=re.S))


# What is written on the axis, and what is in view, from events as mouse and keys make them.
GESTURES = """
const board = byId('timeline'), box = board.getBoundingClientRect();
const at = (kind, x, y, more) => board.dispatchEvent(
    new (kind === 'wheel' ? WheelEvent : MouseEvent)(kind, {
        bubbles: true, cancelable: true, clientX: box.left + x, clientY: box.top + y, ...more}));
const key = name => board.dispatchEvent(new KeyboardEvent('keydown', {key: name}));
const seen = () => {
    const texts = [], plain = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = (text, x, y) => y < AXIS && texts.push(text);
    draw();
    CanvasRenderingContext2D.prototype.fillText = plain;
    return {texts, from: view.from, to: view.to, top: view.top,
            pointed: view.from + (400 - LABEL) / view.scale};
};
"""
