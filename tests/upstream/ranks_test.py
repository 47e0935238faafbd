"""What upstream's text says between ranks: windows of other ranks by the distances of a
communication context, signals, transfers, caches and fences, as PyPTO writes them."""

import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402
from writing import SYNC, Case, Function, module, vec  # noqa: E402

FINDINGS = 4  # exit status
BYTES = {"f32": 4, "f16": 2, "i32": 4, "i8": 1}


class Ranked(Function):
    """A vector function with a communication context, `ctx`."""

    def __init__(self, **said):
        super().__init__("k", "vector", **said)
        self.context = None

    def begin(self):
        self.context = self.pointer("ctx", "i64")
        self.rank = self.half("arith.trunci %s : i64 to i32")
        pair = self.word(self.number(2))
        high = self.value("i64", "arith.shrui %s, %s : i64" % (pair, self.number(32, "i64")))
        self.ranks = self.value("i32", "arith.trunci %s : i64 to i32" % high)
        return self

    def value(self, kind, text):
        name = self.fresh(kind)
        self.line("%s = %s" % (name, text))
        return name

    def word(self, index):
        return self.value("i64", "pto.load_scalar %s[%s] : !pto.ptr<i64> -> i64" % (
            self.context, index))

    def half(self, text):
        return self.value("i32", text % self.word(self.number(2)))

    def index(self, number):
        return self.value("index", "arith.index_cast %s : i32 to index" % number)

    def neighbour(self, step):
        """Rank `step` further, round the ring."""
        total = self.value("i32", "arith.addi %s, %s : i32" % (self.rank, self.number(step, "i32")))
        total = self.value("i32", "arith.addi %s, %s : i32" % (total, self.ranks))
        return self.value("i32", "arith.remsi %s, %s : i32" % (total, self.ranks))

    def distance(self, peer, element):
        """In elements, to the window of rank `peer`, an index."""
        window = [self.word(self.value("index", "arith.addi %s, %s : index" % (
            self.number(4), rank))) for rank in (peer, self.index(self.rank))]
        less = self.value("i64", "arith.subi %s, %s : i64" % tuple(window))
        cut = self.value("i64", "arith.divsi %s, %s : i64" % (
            less, self.number(BYTES[element], "i64")))
        return self.value("index", "arith.index_cast %s : i64 to index" % cut)

    def there(self, pointer, peer):
        kind = self.type[pointer]
        return self.value(kind, "pto.addptr %s, %s : %s -> %s" % (
            pointer, self.distance(peer, kind[len("!pto.ptr<"):-1]), kind, kind))

    def cell(self, signals, at):
        """A word of a column of 16 signals."""
        return self.part(self.view(signals, [16, 1], [1, 16], "dn"), [at, 0], [1, 1])

    def notify(self, word, value, how="atomic_add"):
        self.line("pto.comm.tnotify(%s, %s : %s, i32) {notifyOp = #pto<notify_op %s>}" % (
            word, value, self.type[word], how))

    def wait(self, word, value, how="ge"):
        self.line("pto.comm.twait(%s, %s : %s, i32) {cmp = #pto<wait_cmp %s>}" % (
            word, value, self.type[word], how))

    def transfer(self, name, to, source, tiles, behind=""):
        self.line("pto.comm.%s(%s, %s, buf(%s) : %s)%s" % (
            name, to, source, ", ".join(tiles),
            ", ".join(self.type[each] for each in (to, source, *tiles)), behind))

    def publish(self, window=None):
        if window:
            self.line("pto.cmo.cacheinvalid %s single_cache_line : %s" % (
                window, self.type[window]))
        self.line("pto.fence.barrier_all #pto.fence_scope<gm>")

    def drop_cache(self):
        self.line("pto.cmo.cacheinvalid all #pto.address_space<gm>")


def push(f, rows=16):
    """Each rank's `x` into the `box` of the next one, from there into `y`."""
    names = box, signals, x, y = [f.pointer(name, "i32" if name == "signals" else "f32")
                                  for name in ("box", "signals", "x", "y")]
    f.begin()
    peer, before = f.index(f.neighbour(1)), f.index(f.neighbour(-1))
    t = f.loaded(x, rows, 64)
    window = f.whole(f.there(box, peer), rows, 64)
    f.store(t, window)
    f.publish(window)
    f.notify(f.cell(f.there(signals, peer), f.index(f.rank)), f.number(1, "i32"))
    f.wait(f.cell(signals, before), f.number(1, "i32"))
    f.drop_cache()
    f.store(f.load(f.whole(box, rows, 64), t), f.whole(y, rows, 64))
    return names


class Ranks(Case):
    def arrays(self, ranks, *shape, kind=np.float32):
        return [self.random.integers(-50, 50, shape).astype(kind) for _ in range(ranks)]

    def given(self, name, arrays):
        for rank, value in enumerate(arrays):
            np.save(self.path("%s%d" % (name, rank)), value)
        return ["--in", "%s=%s{rank}.npy" % (name, self.path(name))]

    def run_ranks(self, text, ranks, *options, sync="auto"):
        return pto.ptovm("--ranks", str(ranks), "run", self.write(text), "--cores", "1", "--check",
                         "--sync", sync, *options)

    def compare(self, text, want, *options):
        """Object by object, a list of what each rank has."""
        ranks = len(next(iter(want.values())))
        outs = []
        for name in want:
            outs += ["--out", "%s=%s.out{rank}.npy" % (name, self.path(name))]
        for sync in SYNC:
            done = self.run_ranks(text, ranks, *options, *outs, sync=sync)
            self.assertEqual((done.code, done.err), (0, ""), done.err)
            for name, arrays in want.items():
                for rank, value in enumerate(arrays):
                    got = np.load("%s.out%d.npy" % (self.path(name), rank)).reshape(value.shape)
                    np.testing.assert_array_equal(got, value)

    def test_a_tile_goes_to_the_next_rank(self):
        f = Ranked()
        push(f)
        x = self.arrays(3, 16, 64)
        self.compare(module("a3", f), {"y": [x[2], x[0], x[1]]}, *self.given("x", x),
                     "--in", "y=zeros")

    def test_ring_sum(self):
        with open(pto.source("tests", "upstream", "kernels", "ring_sum.pto"),
                  encoding="utf-8") as file:
            text = file.read()
        for ranks in (1, 2, 5):
            x = self.arrays(ranks, 16, 64)
            self.compare(text, {"y": [sum(x)] * ranks}, *self.given("x", x), "--in", "y=zeros")

    def test_a_window_begins_behind_its_pointer(self):
        """Elements are added before and behind the way to another rank."""
        f = Ranked()
        box, x = f.pointer("box", "f32"), f.pointer("x", "f32")
        f.begin()
        kind = f.type[box]
        inner = f.value(kind, "pto.addptr %s, %s : %s -> %s" % (box, f.number(16), kind, kind))
        away = f.there(inner, f.index(f.neighbour(1)))
        away = f.value(kind, "pto.addptr %s, %s : %s -> %s" % (away, f.number(16), kind, kind))
        f.store(f.loaded(x, 1, 16), f.whole(away, 1, 16))
        x = self.arrays(2, 1, 16)
        zeros = np.zeros((1, 32), np.float32)
        self.compare(module("a3", f), {"box": [np.hstack((zeros, x[1 - r])) for r in range(2)]},
                     *self.given("x", x))

    def test_a_function_computes_the_distance(self):
        helper = """  func.func private @far(%ctx: !pto.ptr<i64>, %peer: index) -> index {
    %r = arith.constant 2 : index
    %w = arith.constant 4 : index
    %size = arith.constant 4 : i64
    %pair = pto.load_scalar %ctx[%r] : !pto.ptr<i64> -> i64
    %rank32 = arith.trunci %pair : i64 to i32
    %rank = arith.index_cast %rank32 : i32 to index
    %own_at = arith.addi %w, %rank : index
    %own = pto.load_scalar %ctx[%own_at] : !pto.ptr<i64> -> i64
    %peer_at = arith.addi %w, %peer : index
    %base = pto.load_scalar %ctx[%peer_at] : !pto.ptr<i64> -> i64
    %bytes = arith.subi %base, %own : i64
    %count = arith.divsi %bytes, %size : i64
    %elements = arith.index_cast %count : i64 to index
    return %elements : index
  }
"""
        f = Ranked()
        box, x = f.pointer("box", "f32"), f.pointer("x", "f32")
        peer = f.argument("peer", "i32")
        f.context = f.pointer("ctx", "i64")
        count = f.value("index", "func.call @far(%s, %s) : (!pto.ptr<i64>, index) -> index" % (
            f.context, f.index(peer)))
        away = f.value(f.type[box], "pto.addptr %s, %s : !pto.ptr<f32> -> !pto.ptr<f32>" % (
            box, count))
        f.store(f.loaded(x, 4, 16), f.whole(away, 4, 16))
        x = self.arrays(2, 4, 16)
        np.save(self.path("peers.npy"), np.array([1, 0]))
        self.compare(module("a3", helper, f), {"box": [x[1], x[0]]}, *self.given("x", x),
                     "--set", "peer=@" + self.path("peers.npy"))

    def test_loops_hand_on_distances(self):
        """Each turn stores a row in the copy of another rank, of which the last turn has told."""
        f = Ranked()
        box, x = f.pointer("box", "f32"), f.pointer("x", "f32")
        f.begin()
        zero, one, two = (f.number(value) for value in range(3))
        near, far = (f.distance(f.index(f.neighbour(step)), "f32") for step in (1, 2))
        t = f.loaded(x, 1, 16)
        f.line("%%last = scf.for %%i = %s to %s step %s iter_args(%%d = %s) -> (index) {" % (
            zero, two, one, near))
        f.line("%away = pto.addptr %box, %d : !pto.ptr<f32> -> !pto.ptr<f32>")
        f.type.update({"%away": "!pto.ptr<f32>", "%i": "index"})
        f.store(t, f.part(f.view("%away", [2, 16]), ["%i", 0], [1, 16]))
        f.line("scf.yield %s : index" % far)
        f.line("}")
        x = self.arrays(3, 1, 16)
        self.compare(module("a3", f), {"box": [np.vstack((x[r - 1], x[r - 2])) for r in range(3)]},
                     *self.given("x", x))

    def test_choices_hand_on_distances(self):
        f = Ranked()
        box, x = f.pointer("box", "f32"), f.pointer("x", "f32")
        f.begin()
        near, far = (f.distance(f.index(f.neighbour(step)), "f32") for step in (1, 2))
        t = f.loaded(x, 1, 16)
        first = f.value("i1", "arith.cmpi eq, %s, %s : i32" % (f.rank, f.number(0, "i32")))
        f.line("%%d = scf.if %s -> (index) {" % first)
        f.line("scf.yield %s : index" % near)
        f.line("} else {")
        f.line("scf.yield %s : index" % far)
        f.line("}")
        f.line("%away = pto.addptr %box, %d : !pto.ptr<f32> -> !pto.ptr<f32>")
        f.type["%away"] = "!pto.ptr<f32>"
        row = f.value("index", "arith.index_cast %s : i32 to index" % f.rank)
        f.store(t, f.part(f.view("%away", [3, 16]), [row, 0], [1, 16]))
        x = self.arrays(3, 1, 16)
        want = [np.zeros((3, 16), np.float32) for _ in range(3)]
        for rank in range(3):
            want[(rank + (1 if rank == 0 else 2)) % 3][rank] = x[rank]
        self.compare(module("a3", f), {"box": want}, *self.given("x", x))

    def test_s_reaches_no_other_rank(self):
        for text in ("%x = pto.load_scalar {}[{}] : !pto.ptr<f32> -> f32",
                     "pto.store_scalar {2}, {0}[{1}] : !pto.ptr<f32>, f32"):
            f = Ranked()
            box = f.pointer("box", "f32")
            f.begin()
            there = f.there(box, f.index(f.neighbour(1)))
            f.line(text.format(there, f.number(0), f.number(1.0, "f32")))
            done = self.run_ranks(module("a3", f), 2, "--set", "box_size=8")
            self.assertEqual(done.code, 1, done.err)
            self.assertIn("fault: scalar access to 'box' on rank", done.err)

    def test_a_context_gets_no_input(self):
        f = Ranked()
        y = f.pointer("y", "i32")
        f.begin()
        f.line("pto.store_scalar %s, %s[%s] : !pto.ptr<i32>, i32" % (f.ranks, y, f.number(0)))
        self.compare(module("a3", f), {"y": [np.array([5], np.int32)] * 5}, "--in", "y=zeros",
                     "--set", "y_size=1")
        done = self.run_ranks(module("a3", f), 2, "--in", "ctx=iota", "--in", "y=zeros", "--set",
                              "y_size=1")
        self.assertNotEqual(done.code, 0)
        self.assertIn("ctx", done.err)

    def test_data_before_the_signal(self):
        """Without the fence the data may come later than the signal, and the checker says so."""
        f = Ranked()
        push(f)
        x = self.given("x", self.arrays(3, 16, 64))
        lines = [line for line in f.lines if "pto.fence" not in line and "cacheinvalid" not in line]
        self.assertEqual(len(f.lines) - len(lines), 3)
        f.lines = lines
        for sync, what in (("none", "nothing orders the two"),
                           ("auto", "nothing has published it")):
            done = self.run_ranks(module("a3", f), 3, *x, "--in", "y=zeros", sync=sync)
            self.assertEqual(done.code, FINDINGS, done.err)
            self.assertIn(what, done.err)
        f = Ranked()
        push(f)
        f.lines = [line for line in f.lines if "twait" not in line]
        done = self.run_ranks(module("a3", f), 3, *x, "--in", "y=zeros")
        self.assertEqual(done.code, FINDINGS, done.err)
        self.assertIn("[race-", done.err)

    def test_a_fence_waits_for_what_is_on_its_way(self):
        """With flags of its own, too, of which the text has all but those that the fence stands
        for."""
        f = Ranked()
        push(f)
        at = next(i for i, line in enumerate(f.lines) if "pto.tstore" in line)
        for name in ("set", "wait"):
            f.lines.insert(at, '    pto.%s_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]' % name)
            at += 1
        at = len(f.lines) - 1
        for name in ("set", "wait"):
            f.lines.insert(at, '    pto.%s_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]' % name)
            at += 1
        x = self.given("x", self.arrays(3, 16, 64))
        done = self.run_ranks(module("a3", f), 3, *x, "--in", "y=zeros", sync="asis")
        self.assertEqual((done.code, done.err), (0, ""), done.err)

    def scalars(self, drop):
        """A number through S: stored, its line dropped, signalled, read."""
        f = Ranked()
        box, signals, y = f.pointer("box", "i32"), f.pointer("signals", "i32"), f.pointer(
            "y", "i32")
        f.begin()
        zero = f.number(0)
        f.line("pto.store_scalar %s, %s[%s] : !pto.ptr<i32>, i32" % (f.rank, box, zero))
        if drop:
            f.line("pto.cmo.cacheinvalid %s single_cache_line : !pto.ptr<i32>" % box)
        f.publish()
        f.notify(f.cell(f.there(signals, f.index(f.neighbour(1))), zero), f.number(7, "i32"), "set")
        f.wait(f.cell(signals, zero), f.number(7, "i32"), "eq")
        before = f.there(box, f.index(f.neighbour(-1)))
        t = f.load(f.whole(before, 1, 8), f.tile(vec(1, 8, "i32")))
        f.store(t, f.whole(y, 1, 8))
        return module("a3", f)

    def test_lines_of_the_cache_are_dropped(self):
        want = [np.array([[(rank - 1) % 3] + [0] * 7], np.int32) for rank in range(3)]
        self.compare(self.scalars(True), {"y": want}, "--in", "y=zeros", "--in", "signals=ones")
        done = self.run_ranks(self.scalars(False), 3, "--in", "y=zeros", sync="none")
        self.assertEqual(done.code, FINDINGS, done.err)

    def test_the_cache_is_dropped_before_a_number_is_read_again(self):
        for drop in (True, False):
            f = Ranked()
            box, signals, x, y = (f.pointer(name, "i32") for name in ("box", "signals", "x", "y"))
            f.begin()
            zero, peer = f.number(0), f.index(f.neighbour(1))
            f.line("%%old = pto.load_scalar %s[%s] : !pto.ptr<i32> -> i32" % (box, zero))
            f.notify(f.cell(f.there(signals, peer), f.number(1)), f.number(1, "i32"))
            f.wait(f.cell(signals, f.number(1)), f.number(1, "i32"))
            t = f.loaded(x, 1, 8)
            for name in ("set", "wait"):
                f.line("pto.%s_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]" % name)
            f.store(t, f.whole(f.there(box, peer), 1, 8))
            f.publish()
            f.notify(f.cell(f.there(signals, peer), zero), f.number(1, "i32"))
            f.wait(f.cell(signals, zero), f.number(1, "i32"))
            if drop:
                f.drop_cache()
            f.line("%%new = pto.load_scalar %s[%s] : !pto.ptr<i32> -> i32" % (box, zero))
            f.line("pto.store_scalar %%new, %s[%s] : !pto.ptr<i32>, i32" % (y, zero))
            f.line("pto.cmo.cacheinvalid %s single_cache_line : !pto.ptr<i32>" % y)
            done = self.run_ranks(module("a3", f), 2, "--set", "y_size=1", "--in", "y=zeros",
                                  "--in", "x=ones", "--expect", "y=ones", sync="asis")
            self.assertEqual(done.code, 0 if drop else FINDINGS, done.err)

    def test_a_signal_is_tested(self):
        f = Ranked()
        signals, y = f.pointer("signals", "i32"), f.pointer("y", "i32")
        f.begin()
        zero, one = f.number(0), f.number(1, "i32")
        f.notify(f.cell(f.there(signals, f.index(f.neighbour(1))), zero), f.number(3, "i32"))
        word = f.cell(signals, zero)
        f.line("%true = arith.constant true")
        f.lines += ["    %tries = scf.while (%n = " + f.number(0, "i32") + ") : (i32) -> i32 {",
                    "      %hit = pto.comm.ttest(" + word + ", " + f.number(3, "i32") + " : " +
                    f.type[word] + ", i32) {cmp = #pto<wait_cmp ge>} -> i1",
                    "      %miss = arith.xori %hit, %true : i1",
                    "      scf.condition(%miss) %n : i32", "    } do {", "    ^bb0(%m: i32):",
                    "      %more = arith.addi %m, " + one + " : i32",
                    "      scf.yield %more : i32", "    }"]
        f.line("pto.store_scalar %s, %s[%s] : !pto.ptr<i32>, i32" % (one, y, zero))
        self.compare(module("a3", f), {"y": [np.array([1], np.int32)] * 2}, "--in", "y=zeros",
                     "--set", "y_size=1")

    def moved(self, name, shape, stage, tiles, how=None):
        """`x` to the next rank's `box`, or the next rank's `box` here, a barrier of signals
        before and behind."""
        f = Ranked()
        box, x, signals = f.pointer("box", "f32"), f.pointer("x", "f32"), f.pointer(
            "signals", "i32")
        f.begin()
        peer = f.index(f.neighbour(1))
        stages = [f.tile(vec(*stage, "f32")) for _ in range(tiles)]
        here, there = f.whole(x, *shape), f.whole(f.there(box, peer), *shape)
        f.line("pto.barrier <PIPE_ALL>")
        f.transfer(name, *((there, here) if name == "tput" else (here, there)), stages,
                   behind=" {atomicType = #pto<atomic_type %s>}" % how if how else "")
        f.line("pto.barrier <PIPE_ALL>")
        if name == "tput":
            f.publish(there)
        f.notify(f.cell(f.there(signals, peer), 0), f.number(1, "i32"))
        f.wait(f.cell(signals, f.number(0)), f.number(1, "i32"))
        return module("a3", f)

    def test_global_memory_is_put_and_got(self):
        for shape, stage, tiles in (((8, 64), (8, 64), 1), ((32, 64), (8, 32), 2),
                                    ((3, 8, 64), (8, 64), 1), ((2, 3, 8, 64), (8, 64), 2),
                                    ((64,), (1, 64), 1)):
            with self.subTest(shape=shape, tiles=tiles):
                x, box = self.arrays(3, *shape), self.arrays(3, *shape)
                given = [*self.given("x", [each.reshape(-1) for each in x]),
                         *self.given("box", [each.reshape(-1) for each in box])]
                self.compare(self.moved("tput", shape, stage, tiles), {"box": [x[2], x[0], x[1]]},
                             *given)
                self.compare(self.moved("tput", shape, stage, tiles, "atomic_add"),
                             {"box": [box[r] + x[r - 1] for r in range(3)]}, *given)
                self.compare(self.moved("tget", shape, stage, tiles),
                             {"x": [box[1], box[2], box[0]]}, *given)

    def test_an_array_of_numbers_is_no_context(self):
        """Its word 2 is read and not taken apart, or taken apart and not the first one."""
        load = "%%x%d = pto.load_scalar %s[%s] : !pto.ptr<i64> -> i64"
        for words, is_cut in (((2,), False), ((1, 2), True), ((1,), True)):
            f = Function("k", "vector")
            table, y = f.pointer("table", "i64"), f.pointer("y", "i64")
            for word in words:
                f.line(load % (word, table, f.number(word)))
            if is_cut:
                f.line("%%low = arith.trunci %%x%d : i64 to i32" % word)
                f.line("%%x%d_ = arith.extsi %%low : i32 to i64" % word)
            f.line("pto.store_scalar %%x%d%s, %s[%s] : !pto.ptr<i64>, i64" % (
                word, "_" * is_cut, y, f.number(0)))
            self.check(module("a3", f), {"table": np.arange(10, 18), "y": np.zeros(1, np.int64)},
                       {"y": np.array([10 + word])}, "--cores", "1")

    def test_a_view_that_nothing_uses_tells_the_size(self):
        f = Function("k", "vector")
        x, y = f.pointer("x", "i32"), f.pointer("y", "i32")
        f.view(x, [2, 8])
        f.line("%%v = pto.load_scalar %s[%s] : !pto.ptr<i32> -> i32" % (x, f.number(3)))
        f.line("pto.store_scalar %%v, %s[%s] : !pto.ptr<i32>, i32" % (y, f.number(0)))
        self.check(module("a3", f), {"y": np.zeros(1, np.int32)}, {"y": np.array([3], np.int32)},
                   "--cores", "1", "--in", "x=iota")

    def test_what_is_not_used_needs_no_input(self):
        f = Function("k", "vector")
        y = f.pointer("y", "f32")
        f.view(f.pointer("idle", "f32"), [4, 8])
        f.pointer("ctx", "i64")
        f.store(f.loaded(y, 4, 16), f.whole(y, 4, 16))
        y = self.floats(4, 16)
        self.check(module("a3", f), {"y": y}, {"y": y}, "--cores", "1")
        np.save(self.path("idle.npy"), np.zeros(32, np.float32))
        self.check(module("a3", f), {"y": y}, {"y": y}, "--cores", "1", "--in",
                   "idle=" + self.path("idle.npy"))


if __name__ == "__main__":
    unittest.main()
