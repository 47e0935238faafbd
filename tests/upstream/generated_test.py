"""`--sync auto` on generated programs: the bytes of `--sync inorder` under jitter, and no finding;
and on programs of the kinds that automatic synchronisation is known to fail on elsewhere (PTOAS,
issues by number)."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
from programs import HEAD, Program  # noqa: E402

TILES = """.tile a : ub f32[4, 16]
.tile b : ub f32[4, 16]
.tile c : ub f32[4, 16]
.tile d[2] : ub f32[4, 16]
"""

KNOWN = {
    "a load before a loop of no turn (#533)": """
        TLOAD a, x[0, 0]
        TLOAD b, x[4, 0]
        .for %i = 0 to n
            TADD b, a, b
            TSTORE y[%i, 0], b
        .endfor
        TADDS c, a, 1.0
        TSTORE y[40, 0], c
    """,
    "bytes at another address that overlap (#844)": """
        .tile whole : ub f32[8, 16] @ 0x1000
        .tile half  : ub f32[4, 16] @ 0x1100
        TEXPANDS whole, 1.0
        .for %i = 0 to n
            TSTORE y[%i * 8, 0], whole
            TLOAD half, x[%i, 0]
            TSTORE y[40, 0], half
            TEXPANDS whole, 2.0
        .endfor
    """,
    "two slots in turn, an event each (#176)": """
        %s = 0
        .for %i = 0 to n
            TLOAD d[%s], x[%i, 0]
            TADDS d[%s], d[%s], 1.0
            TSTORE y[%i * 4, 0], d[%s]
            %s = 1 - %s
        .endfor
    """,
    "a wait at the head of a loop that nobody has set before (#428)": """
        .for %i = 0 to n
            TLOAD a, x[%i, 0]
            TADDS b, a, 1.0
            TSTORE y[%i, 0], b
        .endfor
    """,
    "loops and choices that share an event (#454)": """
        .for %i = 0 to n
            TLOAD a, x[%i, 0]
            .for %k = 0 to %i
                .if mod(%k, 2) == 0
                    TADDS b, a, 1.0
                .else
                    TLOAD b, x[%k, 0]
                .endif
                TSTORE y[%k * 4, 0], b
            .endfor
            .if mod(%i, 2) == 0
                TSTORE y[32, 0], a
            .endif
        .endfor
    """,
    "flags of a choice stay in it (#1149)": """
        .for %i = 0 to n
            .if %i == 1
                TLOAD a, x[%i, 0]
                TADDS b, a, 1.0
                TSTORE y[%i, 0], b
            .endif
        .endfor
    """,
    "one load, readers on two pipes: a wait for each and none twice (#65, #112, #118, #130)": """
        .for %i = 0 to n
            TLOAD a, x[%i, 0]
            TADDS b, a, 1.0
            TADDS c, a, 2.0
            TSTORE y[%i, 0], a
            TSTORE y[20 + %i, 0], b
            TADD a, b, c
            TSTORE y[40 + %i, 0], a
        .endfor
    """,
    "a barrier and flags of two loops at one instruction (#128, #132)": """
        TLOAD d[0], x[0, 0]
        .for %i = 0 to n
            .for %k = 0 to 2
                TLOAD d[%k], x[%i, 0]
                .if mod(%i + %k, 2) == 0
                    TADDS d[%k], d[%k], 1.0
                    TMULS d[%k], d[%k], 2.0
                .endif
                TSTORE y[%i * 8 + %k * 4, 0], d[%k]
            .endfor
            TADDS d[0], d[0], 1.0
        .endfor
        TSTORE y[40, 0], d[0]
    """,
    "more that is under way than there are events (#450)": """
        .tile e[12] : ub f32[4, 16]
        .for %i = 0 to n
            .for %k = 0 to 12
                TLOAD e[%k], x[%k * 4, 0]
            .endfor
            TADD a, e[0], e[11]
            TADD b, e[1], e[10]
            TADD c, e[2], e[9]
            TSTORE y[0, 0], e[3]
            TSTORE y[4, 0], e[4]
            TADDS e[5], e[5], 1.0
            TSTORE y[8, 0], e[5]
            TSTORE y[12, 0], a
            TSTORE y[16, 0], b
            TSTORE y[20, 0], c
        .endfor
    """,
    "one pipe sets for two, one of which waits long (#823)": """
        TLOAD a, x[0, 0]
        .for %i = 0 to n
            TSTORE y[%i * 4, 0], a
            TLOAD b, y[%i * 4, 0]
            TADDS c, b, 1.0
            TSTORE y[40, 0], c
        .endfor
        TEXPANDS a, 3.0
        TSTORE y[60, 0], a
    """,
    "instructions of one pipe that need a barrier, in one turn and from turn to turn": """
        TEXPANDS a, 1.0
        TEXPANDS b, 1.0
        .for %i = 0 to n
            TADDS b, a, 1.0
            TADD a, b, a
        .endfor
        TSTORE y[0, 0], a
        TADDS a, b, 2.0
        TSTORE y[0, 0], a
    """,
    "a second buffer by another name of the slot": """
        .for %i = 0 to n
            TLOAD d[mod(%i, 2)], x[%i, 0]
            .if %i > 0
                TSTORE y[%i * 4, 0], d[mod(%i + 1, 2)]
            .endif
        .endfor
    """,
    "windows that move on, and come again": """
        %s = 0
        .for %turn = 0 to 2
            .for %row = %turn * 2 to n * 4 step 4
                TLOAD d[%s], y[%row, 0]
                TADDS d[%s], d[%s], 1.0
                TSTORE y[%row, 0], d[%s]
                %s = 1 - %s
            .endfor
        .endfor
        .for %row = 0 to n * 3 step 3
            TLOAD a, y[%row, 0]
            TADDS a, a, 1.0
            TSTORE y[%row, 0], a
        .endfor
    """,
    "a loop that is left before the slot that it has waited for is used": """
        TLOAD d[0], x[0, 0]
        TLOAD d[1], x[4, 0]
        %s = 0
        .for %i = 0 to n
            TLOAD d[%s], x[%i * 4, 0]
            TADDS d[%s], d[%s], 1.0
            TSTORE y[%i * 4, 0], d[%s]
            %s = mod(%s + 1, 2)
        .endfor
        .for %i = 0 to n
            TLOAD d[%s], x[%i, 0]
            .if %i == 1
                TSTORE y[40, 0], d[%s]
                .break
            .endif
        .endfor
        TADDS d[%s], d[%s], 1.0
        TSTORE y[44, 0], d[%s]
    """,
    "a loop that is left and begun again": """
        TLOAD b, x[0, 0]
        .for %i = 0 to 8
            .if %i == n
                .break
            .elif mod(%i, 3) == 1
                .continue
            .endif
            TLOAD a, x[%i, 0]
            TADD b, b, a
        .endfor
        TSTORE y[0, 0], b
        .if n == 2
            end
        .endif
        TADDS b, b, 1.0
        TSTORE y[8, 0], b
    """,
}


class Generated(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def result(self, text, *options):
        path, out = (os.path.join(self.folder, name) for name in ("k.pto", "y.bin"))
        with open(path, "w") as file:
            file.write(text)
        done = pto.ptovm("run", path, "--cores", "1", "--in", "x=random", "--in", "y=random:2",
                         "--check", "--out", "y=" + out, *options)
        self.assertEqual((done.code, done.err), (0, ""), text + done.err)
        with open(out, "rb") as file:
            return file.read()

    def check(self, text, turns, profiles):
        for n in turns:
            for profile in profiles:
                given = ("--set", "n=%d" % n, "-p", profile)
                want = self.result(text, *given, "--sync", "inorder")
                for jitter in ((), ("--jitter", "1")):
                    self.assertEqual(self.result(text, *given, "--sync", "auto", *jitter), want,
                                     text)

    def test_generated(self):
        for seed in range(14):
            self.check(Program(seed).text, (seed % 2 * 3, 2), ("a2" if seed % 3 else "a5",))

    def test_known_to_be_hard(self):
        for name, text in KNOWN.items():
            with self.subTest(name):
                lines = text.splitlines(keepends=True)
                tiles = "".join(line.lstrip() for line in lines if ".tile" in line)
                body = "".join(line for line in lines if ".tile" not in line)
                self.check(HEAD + TILES + tiles + body, (0, 1, 2, 5), ("a2",))


if __name__ == "__main__":
    unittest.main()
