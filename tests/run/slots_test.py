"""Slots that take turns (.slots), in random programs of loops, conditions and ways out.

Every .take logs the slot that it got. The slots are counted here again by walking through the
program, so a slot that is not given back, or given back twice, shows in the log, as a deadlock, as
a token that is set twice or as one that is left."""

import random
import unittest

from harness import KernelTest, sample, share

SETS = (("s", 2, "MTE3", "MTE2", 0), ("t", 3, "V", "MTE2", 2), ("u", 1, "MTE3", "V", 0),
        ("w", 2, "MTE3", "S", 1))
PARAMETERS = ("a", "b")
CONDITIONS = ("a > 0", "b > 1", "a == b", "a + b > 2")
LOGGED = 4000


class Ended(Exception):
    pass


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.loops = self.takes = 0
        self.body = self.block(3, False, set())

    def block(self, depth, in_loop, taken):
        """A list of statements; `taken`: slots that are taken around it."""
        taken, late, result = set(taken), [], []
        for _ in range(self.random.randint(1, 4)):
            free = [s for s in SETS if s not in taken]
            kind = self.random.choice(("take", "take", "for", "if", "out"))
            if kind == "take" and free:
                slots = self.random.choice(free)
                taken.add(slots)
                result.append(("take", slots))
                if self.random.random() < 0.5:
                    result.append(("hand", slots))
                else:
                    late.append(slots)
            elif kind == "for" and depth:
                self.loops += 1
                result.append(("for", "i%d" % self.loops, self.random.choice(("a", "b", "2", "3")),
                               self.block(depth - 1, True, taken)))
            elif kind == "if" and depth:
                arms = [self.block(depth - 1, in_loop, taken)
                        for _ in range(self.random.randint(1, 2))]
                result.append(("if", self.random.choice(CONDITIONS), arms))
            elif kind == "out" and in_loop and depth < 3 and self.random.random() < 0.5:
                result.append((self.random.choice(("continue", "break")),))
                return result + [("hand", s) for s in late]
            elif kind == "out" and self.random.random() < 0.05:
                result.append(("end",))
        return result + [("hand", s) for s in late]

    # ---- the text

    def lines(self, block, indent):
        for statement in block:
            kind = statement[0]
            if kind == "take":
                yield indent + ".take %" + statement[1][0]
                yield indent + "st log[0, %%at], %%%s + %d" % (statement[1][0],
                                                             100 * SETS.index(statement[1]))
                yield indent + "%at = %at + 1"
            elif kind == "hand":
                name, _, giver, taker, flags = statement[1]
                if taker != "S":
                    yield indent + "handoff %s -> %s, %%%s + %d" % (taker, giver, name, flags)
            elif kind == "for":
                yield indent + ".for %%%s = 0 to %s" % statement[1:3]
                yield from self.lines(statement[3], indent + "    ")
                yield indent + ".endfor"
            elif kind == "if":
                yield indent + ".if " + statement[1]
                for number, arm in enumerate(statement[2]):
                    if number:
                        yield indent + ".else"
                    yield from self.lines(arm, indent + "    ")
                yield indent + ".endif"
            else:
                yield indent + "end" if kind == "end" else indent + "." + kind

    def text(self):
        head = [".kernel k", ".mix 1:1"] + [".param %s : i64" % p for p in PARAMETERS]
        head += [".out log : i64[1, %d]" % LOGGED, ".core aiv"]
        head += [".slots %%%s : %d free %s -> %s flags %d" % s for s in SETS]
        return "\n".join(head + ["    %at = 0"] + list(self.lines(self.body, "    "))) + "\n"

    # ---- what it should do

    def walk(self, a, b):
        """The log."""
        self.turn = {s: 0 for s in SETS}
        self.log = []
        self.values = {"a": a, "b": b}
        try:
            self.run(self.body)
        except Ended:
            pass
        return self.log

    def run(self, block):
        """None, "continue" or "break"."""
        taken, way = [], None
        for statement in block:
            kind = statement[0]
            if kind == "take":
                taken.append(statement[1])
                self.log.append(100 * SETS.index(statement[1]) + self.turn[statement[1]])
            elif kind == "for":
                for _ in range(int(eval(statement[2], {}, self.values))):
                    if self.run(statement[3]) == "break":
                        break
            elif kind == "if":
                arms = statement[2]
                if eval(statement[1], {}, self.values):
                    way = self.run(arms[0])
                elif len(arms) > 1:
                    way = self.run(arms[1])
            elif kind == "end":
                raise Ended
            elif kind in ("continue", "break"):
                way = kind
            if way:
                break
        for slots in taken:
            self.turn[slots] = (self.turn[slots] + 1) % slots[1]
        return way


class Slots(KernelTest):
    PROGRAMS = sample(range(150), 5)

    def test_random_programs(self):
        takes = outs = 0
        for seed in self.PROGRAMS:
            program = Program(seed)
            text = program.text()
            with open(self.path("k.pto"), "w") as file:
                file.write(text)
            outs += text.count(".continue") + text.count(".break")
            for a, b in ((0, 0), (1, 2), (3, 1)):
                want = program.walk(a, b)
                takes += len(want)
                self.run_ok("--cores", 1, "--jitter", seed, "run", self.path("k.pto"), "--set",
                            "a=%d" % a, "--set", "b=%d" % b, "--out",
                            "log=%s" % self.path("log.npy"))
                found = self.load("log.npy")[0]
                self.assertLess(len(want), LOGGED)
                self.assertEqual(found[:len(want)].tolist(), want, text)
                self.assertTrue((found[len(want):] == -1).all(), text)   # poison: nothing more
        self.assertGreater(takes, share(1500, 5))
        self.assertGreater(outs, share(80, 5))


if __name__ == "__main__":
    unittest.main()
