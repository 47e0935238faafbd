"""The Python package against numpy.  Runs with unittest, and under pytest as it is."""

import _thread
import gc
import json
import os
import sys
import tempfile
import threading
import unittest

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("PTO_SOURCE_DIR") or os.path.join(HERE, "..", "..")
os.environ.setdefault("PTO_LIBRARY", os.path.join(SOURCE, "build", "lib", "libpto.so"))
sys.path.insert(0, os.path.join(SOURCE, "vm", "python"))
import pto  # noqa: E402
import pto.testing  # noqa: E402

VADD = os.path.join(SOURCE, "kernels", "basic", "vadd.pto")
A = numpy.arange(3000, dtype="f4")
B = numpy.random.default_rng(1).standard_normal(3000).astype("f4")

COPY = """.kernel copy
.param n : i64
.in  a : f32[n]
.out c : f32[n]
.core aiv
.tile t : ub f32[1, 8192]
    .if vec_id() == 0
        TLOAD t{1, %n}, a
        handoff MTE2 -> MTE3, 0
        TSTORE c, t{1, %n}
    .endif
"""
RACY = COPY.replace("        handoff MTE2 -> MTE3, 0\n", "")
HANGS = """.kernel hangs
.core aiv
    wait_flag MTE2, V, 0
"""
ENDLESS = """.kernel endless
.core aiv
    .if vec_id() == 0
        %i = 0
again:
        %i = %i + 1
        jump again
    .endif
"""
SCALED = """.kernel scaled
.param f : f64
.inout x : f32[4]
.core aiv
.tile t : ub f32[1, 8]
    .if vec_id() == 0
        print "rank", rank()
        TLOAD t{1, 4}, x
        handoff MTE2 -> V, 0
        TMULS t{1, 4}, t{1, 4}, %f
        handoff V -> MTE3, 0
        TSTORE x, t{1, 4}
    .endif
"""


def address(array):
    return array.__array_interface__["data"][0]


class Runs(unittest.TestCase):
    def test_sum(self):
        result = pto.run(VADD, a=A, b=B)
        self.assertEqual(list(result), ["c"])
        numpy.testing.assert_array_equal(result["c"], A + B)
        self.assertGreater(result.time_ps, 0)
        self.assertEqual(result.statistics["gm_bytes"], 3 * A.nbytes)
        self.assertEqual(result.report["schema"], "pto-report/1")
        self.assertEqual(result.report["time_ps"], result.time_ps)
        self.assertIn("vadd on a2", result.summary)

    def test_nothing_is_copied(self):
        """An input is the caller's bytes; a result is the machine's, which live as long as it."""
        result = pto.run(VADD, a=A, b=B)
        self.assertEqual(address(result.objects()["a"]), address(A))
        again = result.objects()["c"]
        self.assertEqual(address(again), address(result["c"]))
        c = result["c"]
        del result, again
        gc.collect()
        numpy.testing.assert_array_equal(c, A + B)

    def test_what_is_written_is_copied(self):
        x = numpy.array([1, 2, 3, 4], "f4")
        result = pto.run(SCALED, x=x, f=2, printer=lambda *_: None)
        numpy.testing.assert_array_equal(result["x"], [2, 4, 6, 8])
        numpy.testing.assert_array_equal(x, [1, 2, 3, 4])

    def test_ranks(self):
        lines = []
        xs = [numpy.full(4, rank, "f4") for rank in range(3)]
        result = pto.run(SCALED, ranks=3, x=pto.per_rank(xs), f=pto.per_rank([1, 0.5, 10.0]),
                         printer=lambda rank, core, time, line: lines.append((rank, line)))
        for rank, factor in enumerate([1, 0.5, 10]):
            numpy.testing.assert_array_equal(result["x"][rank], xs[rank] * numpy.float32(factor))
        self.assertEqual(sorted(lines), [(r, "rank %d" % r) for r in range(3)])

    def test_sources_and_options(self):
        with tempfile.TemporaryDirectory() as folder:
            numpy.savez(os.path.join(folder, "z.npz"), a=A)
            result = pto.run(VADD, a=os.path.join(folder, "z.npz"), b="ones", profile="a5", cores=1)
        numpy.testing.assert_array_equal(result["c"], A + 1)
        self.assertEqual((result.report["profile"], result.report["cores"]), ("a5", 1))

    def test_machine_options(self):
        words = ["cores=1", "link_latency=1us"]
        report = pto.run(COPY, a=A[:8], ranks=4, topology="ring", profile_set=words).report
        self.assertEqual((report["topology"], report["cores"]), ("ring", 1))
        with self.assertRaisesRegex(pto.UsageError, "link_latenzy"):
            pto.run(COPY, a=A[:8], profile_set="link_latenzy=1us")

    def test_results_that_are_not_there(self):
        with self.assertRaisesRegex(KeyError, "no result 'd'; there are: c"):
            pto.run(COPY, a=A[:8])["d"]
        with self.assertRaisesRegex(KeyError, "no result 'd'; there are: c"):
            pto.testing.assert_results(COPY, {"d": A[:8]}, a=A[:8])
        with self.assertRaisesRegex(pto.UsageError, "nothing in it to compare"):
            pto.testing.assert_results(COPY, {}, a=A[:8])

    def test_flat_objects_take_any_shape(self):
        text = """
.kernel flat
.param n : i64
.in a : f32[n] flat
.in b : f32[n]
.core aiv
"""
        for shape in [(8,), (2, 4), (2, 2, 2)]:
            pto.run(text, a=A[:8].reshape(shape), b=B[:8])
        with self.assertRaisesRegex(pto.PtoError, "'b' is declared with 1 dimension and was"):
            pto.run(text, a=A[:8].reshape(2, 4), b=B[:8].reshape(2, 4))

    def test_views_and_orders(self):
        """What is not row-major little-endian is copied, and right all the same."""
        for a in [numpy.arange(6000, dtype="f4")[::2], A.astype(">f4"), A[::-1]]:
            numpy.testing.assert_array_equal(pto.run(VADD, a=a, b=B)["c"],
                                             a.astype("f4") + B)

    def test_types_without_a_name_in_numpy(self):
        text = COPY.replace("f32", "bf16")
        half = numpy.array([0x3f80, 0x4000], "u2")
        numpy.testing.assert_array_equal(pto.run(text, a=pto.bits(half, "bf16"))["c"], half)
        with self.assertRaisesRegex(pto.UsageError, "'a' is declared bf16.* given u16"):
            pto.run(text, a=half)
        with self.assertRaisesRegex(pto.UsageError, "no element type 'bf17'"):
            pto.bits(half, "bf17")

    def test_empty(self):
        self.assertEqual(pto.run(VADD, a=A[:0], b=B[:0])["c"].shape, (0,))

    def test_objects_and_several_kernels(self):
        result = pto.run([COPY, COPY], a=A[:8])
        numpy.testing.assert_array_equal(result["c"], A[:8])
        self.assertEqual(len(result.report["kernels"]), 2)

    def test_several_texts(self):
        """Each text is one of its own, and messages tell them apart."""
        doubles = COPY.replace("copy", "doubles").replace("out c", "out d").replace(
            "        handoff MTE2 -> MTE3, 0\n        TSTORE c", "        handoff MTE2 -> V, 0\n"
            "        TADDS t, t, 1.0\n        handoff V -> MTE3, 0\n        TSTORE d")
        result = pto.run([COPY, doubles], a=A[:8])
        numpy.testing.assert_array_equal(result["c"], A[:8])
        numpy.testing.assert_array_equal(result["d"], A[:8] + 1)
        with self.assertRaisesRegex(pto.ProgramError, "<text 2>:10:"):
            pto.run([COPY, doubles.replace("TADDS", "TADDZ"), COPY], a=A[:8])
        job = pto.Job()
        for text in COPY, doubles:
            pto._library.LIBRARY.pto_job_text(job.handle, b"mine", text.encode(), len(text))
        with self.assertRaisesRegex(pto.UsageError, "two different texts are called 'mine'"):
            job.run()

    def test_jobs_at_the_same_time(self):
        found = {}
        threads = [threading.Thread(target=lambda i=i: found.update(
            {i: pto.run(VADD, a=A, b=numpy.full_like(A, i))["c"]})) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i in range(4):
            numpy.testing.assert_array_equal(found[i], A + numpy.float32(i))

    def test_observe(self):
        events = []
        pto.run(COPY, a=A[:8], observe=events.append)
        done = [(e["mnemonic"], e["pipe"], e["core"], e["file"], e["line"]) for e in events
                if e["kind"] == "complete"]
        self.assertIn(("TLOAD", "MTE2", "aiv0.0", "<text>", 8), done)
        self.assertIn(("TSTORE", "MTE3", "aiv0.0", "<text>", 10), done)
        pipes = {e["kind"]: e["pipe"] for e in events if e["mnemonic"] == "TLOAD"}
        self.assertEqual({pipes[kind] for kind in ("issue", "start", "complete")}, {"MTE2"})
        self.assertEqual({e["pipe"] for e in events if e["kind"].startswith("wait")}, {"MTE3"})
        self.assertTrue(all(e["start_ps"] <= e["time_ps"] for e in events
                            if e["kind"] == "complete"))


class Fails(unittest.TestCase):
    def test_assembly(self):
        with self.assertRaises(pto.ProgramError) as caught:
            pto.run(COPY.replace("TSTORE", "TSTROE"), a=A[:8])
        message = caught.exception.messages[0]
        self.assertEqual((message.severity, message.file, message.line), ("error", "<text>", 10))
        self.assertIn("TSTORE", message.hint)
        self.assertIn("<text>:10:", str(caught.exception))
        self.assertIn("^", str(caught.exception))

    def test_fault(self):
        with self.assertRaises(pto.ProgramError) as caught:
            pto.run(COPY.replace("a\n", "a[1]\n"), a=A[:8])
        self.assertEqual(caught.exception.messages[-1].severity, "fault")
        self.assertEqual(caught.exception.report["status"], "fault")
        self.assertEqual(len(caught.exception.findings), 0)

    def test_findings_before_a_fault(self):
        """A check whose run ends by a fault gives what was found until then."""
        with self.assertRaises(pto.ProgramError) as caught:
            pto.check(RACY + "    set_flag MTE2, V, 0\n", a=A[:8])
        self.assertIn("race-raw", [f.kind for f in caught.exception.findings])

    def test_deadlock(self):
        with self.assertRaises(pto.DeadlockError) as caught:
            pto.run(HANGS)
        self.assertIn("set_flag MTE2, V, 0", str(caught.exception))
        self.assertEqual(caught.exception.messages[-1].severity, "deadlock")

    def test_limit(self):
        with self.assertRaises(pto.LimitError):
            pto.run(ENDLESS, max_insns=1000)

    def test_usage(self):
        for arguments, say in [
                ({"a": A}, "'b'"), ({"a": A, "b": B, "d": 1}, "called 'd'"),
                ({"a": A, "b": B[:5]}, "f32.3000.*f32.5"),
                ({"a": A, "b": B.astype("f8")}, "float64.*\n.*asarray"),
                ({"a": A, "b": B, "ranks": 0}, "ranks 0"), ({"a": A, "b": B, "n": 0.5}, "integer"),
                ({"a": A, "b": B.astype("i4")}, "declared f32 and was given i32")]:
            with self.assertRaisesRegex(pto.UsageError, say):
                pto.run(VADD, **arguments)

    def test_callback(self):
        """An error in a callback ends the run and comes out of it."""
        def fail(*_):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            pto.run(SCALED, x=A[:4], f=1.0, printer=fail)
        with self.assertRaisesRegex(KeyError, "mine"):
            pto.run(VADD, a=A, b=B, observe=fail)

    def test_interrupt(self):
        threading.Timer(0.5, _thread.interrupt_main).start()
        with self.assertRaises(KeyboardInterrupt):
            pto.run(ENDLESS)


class Given(unittest.TestCase):
    """What is wrong with a value is told by its name, with what was given and what is wanted."""
    def refuse(self, table, kernel, **others):
        for arguments, say in table:
            with self.subTest(say), self.assertRaisesRegex(pto.UsageError, say):
                pto.run(kernel, **{**others, **arguments})

    def test_names(self):
        self.refuse([
            ({"b": A}, "called 'b'\n.*the kernel takes n, a$"),
            ({"rank": 2}, "called 'rank'\n.*did you mean ranks"),
            ({"max_tim": "1us"}, "called 'max_tim'\n.*did you mean max_time"),
            ({"c": A}, "^c: it is declared .out and takes no value\n.*in the result"),
            ({"inputs": {"a": A}}, "^a: it is given twice"),
            ({"inputs": {1: A}}, "a text is wanted, not 1"),
            ({"inputs": {"a\0": A}}, "holds a NUL"), ({"inputs": {"a=b": "iota"}}, "'a=b'"),
            ({"inputs": [A]}, "^inputs: a dict is wanted"),
            ({"define": ["N=1"]}, "^define: a dict is wanted"),
            ({"printer": 3}, "^printer: a function is wanted, not 3"),
            ({"observe": 0}, "^observe: a function is wanted, not 0"),
            ({"join": "no"}, "^join: True or False is wanted, not 'no'"),
            ({"check": "no"}, "^check: True or False"), ({"timeline": []}, "^timeline: True or"),
            ({"ranks": "two"}, "^ranks: an integer is wanted, not 'two'"),
            ({"ranks": True}, "^ranks: an integer is wanted, not True"),
            ({"ranks": 2.0}, "^ranks: an integer is wanted, not 2.0")], COPY, a=A[:8])
        for kernel in None, 3:
            with self.assertRaisesRegex(pto.UsageError, "^kernel: .* is wanted, not %s" % kernel):
                pto.run(kernel)
        for kernel, what in (("a\0b", "holds a NUL"), ("", "the empty path names no file"),
                             ("x\n\ud800", "a surrogate"), ("\ud800", "a surrogate")):
            with self.assertRaisesRegex(pto.UsageError, "^kernel: .*" + what):
                pto.run(kernel)
        with self.assertRaises(pto.PtoError):
            pto.run("x\n\udcff")

    def test_names_without_any(self):
        with self.assertRaisesRegex(pto.UsageError, "called 'x'\n.*the kernel takes nothing"):
            pto.run(HANGS, x=1)

    def test_parameters(self):
        number = "^f: a number is wanted for a parameter of type f64, not "
        self.refuse([
            ({"f": "2.0"}, number + "'2.0'"), ({"f": None}, number + "None"),
            ({"f": A[:8]}, number + r"an array \[8\] of float32"), ({"f": [2.0]}, number),
            ({"f": 1j}, number), ({"f": 10**400}, "^f: 1000.* does not fit .* f64"),
            ({"f": pto.per_rank([1, "x"]), "ranks": 2}, "^f of rank 1: 'x' is the same"),
            ({"f": pto.per_rank([1, None]), "ranks": 2}, "^f of rank 1: a number is wanted")],
            SCALED, x=A[:4])
        self.refuse([
            ({"n": "8"}, "^n: an integer is wanted for a parameter of type i64, not '8'"),
            ({"n": 8.0}, "^n: an integer is wanted .* not 8.0"),
            ({"n": 2**63}, "^n: 9223372036854775808 does not fit a parameter of type i64"),
            ({"n": -2**63 - 1}, "does not fit"),
            ({"n": numpy.uint64(2**63)}, "does not fit")], COPY, a="iota")

    def test_limits_of_parameters(self):
        """The first and last i64, and arrays of no dimension."""
        text = ".kernel shows\n.param n : i64\n.core aic\n    print \"n\", %n\n"
        for n in -2**63, 2**63 - 1, numpy.array(7), True:
            lines = []
            pto.run(text, n=n, cores=1, printer=lambda *line: lines.append(line[3]))
            self.assertEqual(lines, ["n %d" % n])

    def test_arrays(self):
        wanted = "^a: an array of f32 is wanted, not "
        self.refuse([
            ({"a": None}, wanted + "None"), ({"a": 3.0}, wanted + "3.0\n.*const:3.0"),
            ({"a": numpy.array(3.0)}, wanted), ({"a": {"x": 1}}, wanted),
            ({"a": b"1234"}, wanted + "b'1234'\n.*frombuffer"),
            ({"a": object()}, "^a: an array of numbers is wanted"),
            ({"a": ["x"]}, "^a: an array of numbers is wanted"),
            ({"a": [[1, 2], [3]]}, "^a: numpy makes no array of "),
            ({"a": numpy.ma.array(A[:4], mask=[1, 0, 0, 0])}, r"mask.*\n.*a.filled\(0\)"),
            ({"a": [1.0, 2.0]}, r"^a: elements of float64 .*\n.*asarray\(a, numpy.float32"),
            ({"a": numpy.zeros(2, "c8")}, "^a: elements of complex64"),
            ({"a": A.astype("f2")}, "'a' is declared f32 and was given f16\n.*numpy.float32"),
            ({"a": A > 3}, "'a' is declared f32 and was given u8"),
            ({"a": A.reshape(2, -1)}, r"'a' is declared with 1 dim.* given 2: \[2, 1500\]$"),
            ({"a": [A, A], "ranks": 2}, r"given 2: \[2, 3000\]\n.*per_rank\(a\)"),
            ({"a": numpy.zeros((1,) * 7, "f4")}, "given 7"), ({"a": "io\0ta"}, "holds a NUL"),
            ({"a": A[:8], "n": 9}, r"'a' is declared f32\[9\] and was given f32\[8\]"),
            ({"a": pto.bits(A.view("u4"), "u32")}, "declared f32 and was given u32")], COPY)
        self.refuse([
            ({"a": A}, "'a' is declared bf16.* given f32\n.*pto.bits takes its bits as uint16"),
            ({"a": A.astype("u2")}, "given u16\n.*pto.bits\\(a, \"bf16\"\\)")],
            COPY.replace("f32", "bf16"))

    def test_bits(self):
        for array, dtype, say in [(A, "bf16", "numpy.uint16"), (None, "bf16", "numbers"),
                                  (A.astype("f2"), "bf16", "float16 are not the bits of bf16"),
                                  (A, None, "no element type None"), (A, [1], "no element type")]:
            with self.subTest(say), self.assertRaisesRegex(pto.UsageError, r"^bits: [^\0]*" + say):
                pto.bits(array, dtype)
        numpy.testing.assert_array_equal(pto.run(COPY, a=pto.bits(A[:8], "f32"))["c"], A[:8])

    def test_ranks(self):
        xs = [A[:4], A[4:8], A[8:12]]
        self.refuse([
            ({"x": pto.per_rank(xs[:2])}, "^x: per_rank has 2 values for 3 ranks\n.*ranks=2"),
            ({"x": pto.per_rank(xs + xs)}, "^x: per_rank has 6 values for 3 ranks"),
            ({"x": pto.per_rank([])}, "^x: per_rank has 0 values for 3 ranks$"),
            ({"f": pto.per_rank([1.0])}, "^f: per_rank has 1 value for 3 ranks$"),
            ({"x": pto.per_rank([*xs[:2], None])}, "^x of rank 2: an array of f32 is wanted"),
            ({"x": pto.per_rank([*xs[:2], "ones"])}, "'ones' is the same.*\n.*{rank}"),
            ({"x": pto.per_rank([*xs[:2], A[:5]])}, r"rank 2: 'x' is declared f32\[4\].*f32\[5")],
            SCALED, ranks=3, x=A[:4], f=1.0, printer=lambda *_: None)
        for values in 1.0, "abc", {0: A}, numpy.array(1.0):
            with self.assertRaisesRegex(pto.UsageError, "^per_rank: a list"):
                pto.per_rank(values)
        result = pto.run(SCALED, ranks=2, x=pto.per_rank(A[:8].reshape(2, 4)), f=2.0,
                         printer=lambda *_: None)
        numpy.testing.assert_array_equal(result["x"][1], A[4:8] * 2)
        for rank in -1, 2:
            with self.assertRaisesRegex(IndexError, "no rank %d; there are 0 to 1" % rank):
                result.objects(rank)

    def test_none_is_no_option(self):
        result = pto.run(COPY, a=A[:8], ranks=None, cores=None, profile=None, slow_rank=None,
                         join=None, define=None)
        numpy.testing.assert_array_equal(result["c"], A[:8])

    def test_optional(self):
        text = COPY.replace("a : f32[n]", "a : f32[n] optional").replace("        TLOAD", (
            "        TEXPANDS t, 1.0\n        handoff V -> MTE2, 0\n"
            "        handoff V -> MTE3, 1\n        .if present(a)\n        TLOAD")).replace(
            "        handoff MTE2", "        .endif\n        handoff MTE2")
        numpy.testing.assert_array_equal(pto.run(text, n=8)["c"], numpy.ones(8))
        numpy.testing.assert_array_equal(pto.run(text, a=A[:8])["c"], A[:8])
        with self.assertRaisesRegex(pto.UsageError, "not None\n.*leave an optional input away"):
            pto.run(text, a=None)

    def test_the_library_itself(self):
        """What the package refuses before it reaches the library, the library refuses as well."""
        dim = (pto._library.ctypes.c_uint64 * 1)(8)
        for rank, say in [(2, "input 'a' of rank 2: ranks are 0 to 1"), (1, "rank 0: param")]:
            job = pto.Job()
            job.kernel(COPY)
            job.option("ranks", 2)
            pto._library.LIBRARY.pto_job_bind(job.handle, rank, b"a", b"f32", 1, dim,
                                              A.ctypes.data)
            with self.assertRaisesRegex(pto.UsageError, say):
                job.run()

    def test_hints_are_python(self):
        self.refuse([({}, "'n' of kernel .*\n(.*\n)*.*give it a number, or an input whose"),
                     ({"n": 4}, "'a' of kernel .*\n(.*\n)*.*give it an array, or a source")], COPY)

    def test_declared(self):
        job = pto.Job()
        job.kernel(SCALED)
        job.kernel(COPY)
        self.assertEqual(job.declared(), [])
        pto._library.LIBRARY.pto_job_load(job.handle)
        self.assertEqual([tuple(d.values()) for d in job.declared()], [
            ("scaled", "f", "param", "f64", 0, 0, 0), ("scaled", "x", "inout", "f32", 1, 0, 0),
            ("copy", "n", "param", "i64", 0, 0, 0), ("copy", "a", "in", "f32", 1, 0, 0),
            ("copy", "c", "out", "f32", 1, 0, 0)])


class Checks(unittest.TestCase):
    def test_clean(self):
        findings = pto.check(COPY, a=A[:8])
        self.assertEqual((findings, str(findings)), ([], "no findings"))
        pto.testing.assert_clean(COPY, a=A[:8])
        pto.testing.assert_results(COPY, {"c": A[:8]}, a=A[:8], ranks=2)

    def test_options(self):
        with self.assertRaisesRegex(pto.UsageError, "flag-key"):
            pto.check(COPY, a=A[:8], flag_key="id")
        shared = os.path.join(SOURCE, "tests", "check", "litmus", "flag_key.pto")
        self.assertEqual(pto.check(shared, cores=1, order=0), [])
        found = pto.check(shared, cores=1, order=0, flag_key="set-pipe,id")
        self.assertEqual([f.kind for f in found], ["set-on-pending"])
        result = pto.run(COPY, a=A[:8], check=True, check_coverage=True)
        self.assertIn("coverage", result.report)

    def test_race(self):
        finding = pto.check(RACY, a=A[:8])[0]
        self.assertEqual((finding.kind, finding.where, finding.bytes), ("race-raw", "ub", 32))
        self.assertEqual((finding.earlier.mnemonic, finding.earlier.line), ("TLOAD", 8))
        self.assertEqual((finding.later.mnemonic, finding.later.pipe), ("TSTORE", "MTE3"))
        self.assertIn("MTE2, MTE3", finding.advice)
        self.assertIn("race-raw", repr(finding))
        result = pto.run(RACY, a=A[:8], check=True)
        self.assertEqual(result.findings[0], finding)
        self.assertEqual(result.report["status"], "findings")

    def test_results_of_ranks(self):
        xs = [A[:4], A[4:8]]
        given = {"x": pto.per_rank(xs), "f": 2.0, "ranks": 2, "printer": lambda *_: None}
        want = [x * 2 for x in xs]
        pto.testing.assert_results(SCALED, {"x": pto.per_rank(want)}, **given)
        with self.assertRaisesRegex(AssertionError, "x of rank 1"):
            pto.testing.assert_results(SCALED, {"x": pto.per_rank([want[0], xs[1]])}, **given)
        for expected, say in [({"x": pto.per_rank(want[:1])}, "x: per_rank has 1 arrays for 2"),
                              (want, "expected: a dict")]:
            with self.assertRaisesRegex(pto.UsageError, say):
                pto.testing.assert_results(SCALED, expected, **given)

    def test_helpers_fail(self):
        with self.assertRaises(AssertionError) as caught:
            pto.testing.assert_clean(RACY, a=A[:8])
        self.assertIn("[race-raw]", str(caught.exception))
        with self.assertRaisesRegex(AssertionError, "c of rank 0"):
            pto.testing.assert_results(COPY, {"c": A[:8] + 1}, a=A[:8])

    def test_notebook(self):
        result = pto.run(RACY, a=A[:8], check=True, timeline=True)
        page = result._repr_html_()
        for text in ["<pre>run ", "race-raw", "<svg", "TLOAD, line 8", "rank 0 aiv0.0 MTE2"]:
            self.assertIn(text, page)
        self.assertNotIn("<text>:", page)      # names of files are escaped
        json.dumps(result.report)


if __name__ == "__main__":
    unittest.main()
