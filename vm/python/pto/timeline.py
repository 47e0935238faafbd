"""What the pipes did and when, as a picture for a notebook."""

import html

MOST = 20000            # phases that are kept
WIDTH, LEFT, HEIGHT, GAP = 900, 150, 14, 3
COLOURS = {"MTE1": "#7fb3d5", "MTE2": "#5499c7", "MTE3": "#48c9b0", "FIX": "#45b39d",
           "V": "#eb984e", "M": "#cd6155", "S": "#aeb6bf", "DMA": "#af7ac5"}


class Timeline:
    """Collects the phases of a run: give `see` to Job.observe."""

    def __init__(self):
        self.phases, self.left_out = [], 0

    def see(self, event):
        if event["kind"] != "complete":
            return
        if len(self.phases) == MOST:
            self.left_out += 1
            return
        self.phases.append((event["rank"], event["core"], event["pipe"], event["start_ps"],
                            event["time_ps"], event["mnemonic"], event["line"]))

    def lanes(self):
        """The lanes in order: (rank, core, pipe)."""
        return sorted({phase[:3] for phase in self.phases}, key=lambda lane: [str(x).zfill(12)
                                                                              for x in lane])

    def _repr_html_(self):
        return self.svg()

    def svg(self, most_lanes=64):
        lanes = self.lanes()[:most_lanes]
        row = {lane: i for i, lane in enumerate(lanes)}
        end = max([phase[4] for phase in self.phases] or [1]) or 1
        scale = (WIDTH - LEFT) / end
        out = ["<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
               "font-family='sans-serif' font-size='10'>"
               % (WIDTH, (HEIGHT + GAP) * len(lanes) + 20)]
        for lane, i in row.items():
            out.append("<text x='0' y='%d'>%s</text>" % (
                i * (HEIGHT + GAP) + HEIGHT - 3, html.escape("rank %s %s %s" % lane)))
        for rank, core, pipe, start, stop, mnemonic, line in self.phases:
            if (rank, core, pipe) in row:
                out.append(
                    "<rect x='%.2f' y='%d' width='%.2f' height='%d' fill='%s'>"
                    "<title>%s</title></rect>"
                    % (LEFT + start * scale, row[rank, core, pipe] * (HEIGHT + GAP),
                       max((stop - start) * scale, 0.5), HEIGHT, COLOURS.get(pipe, "#999"),
                       html.escape("%s, line %d, %.3f to %.3f us"
                                   % (mnemonic, line, start * 1e-6, stop * 1e-6))))
        out.append("<text x='%d' y='%d'>0 to %.3f us%s</text></svg>" % (
            LEFT, (HEIGHT + GAP) * len(lanes) + 14, end * 1e-6,
            "; %d phases left out" % self.left_out if self.left_out else ""))
        return "".join(out)
