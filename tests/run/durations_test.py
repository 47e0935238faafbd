"""What the keys of a profile make of durations, against closed forms of their numbers. Profile toy
has a cycle of 1 ns, paths of 32 bytes a cycle between global memory and UB, links of 10 GB/s."""

import json
import unittest

from harness import KernelTest, kernel

CACHE = ("l2_size=4KiB", "l2_line=64B", "l2_ways=4", "l2_bandwidth=1TB/s", "l2_latency=20ns",
         "l2_miss=5ns")
HIT, MISS = 1024 // 32, 1024 // 64 * 5          # ns of a core's path for 1 KiB

READS = """
.kernel reads
.in  a : u8[4096]
.out b : u8[4096]
.core aiv
.tile t : ub u8[1, 1024]
    .if vec_id() < %d
%s
    .endif
"""

VECTOR = """
.kernel vector
.in  a : f32[8, 128]
.out b : f32[8, 1]
.core aiv
.tile x : ub f32[8, 128]
.tile y : ub f32[8, 8]
    .if vec_id() == 0
        TLOAD x, a
        handoff MTE2 -> V, 0
        %s
        handoff V -> MTE3, 0
        TSTORE b, y{8, 1}
    .endif
"""

SIGNAL = """
.kernel signal
.signal s[1]
.core aiv
    .if vec_id() == 0
        .if rank() == 0
            TNOTIFY s@1[0], 1, add
        .else
            TWAIT s[0], ge, 1
        .endif
    .endif
"""

# Rank 0 tells the others something, in two ways, that none of them waits for.
UNAWAITED = """
.kernel unawaited
.signal s[1]
.signal t[8]
.core aiv
.tile x : ub i32[1, 8]
    .if vec_id() == 0 && rank() == 0
        TEXPANDS x, 1
        handoff V -> MTE3, 0
        .for %i = 1 to nranks()
            %to
        .endfor
    .endif
"""
TOLD = ("TNOTIFY s@%i[0], 1, add", "TSTORE t@%i[0]{1, 8}, x")

SPARSE = """
.kernel sparse
.in  a : u8[1 << 20]
.view far : u8[4, 32] of a strides %d, %d
.core aiv
.tile t : ub u8[4, 32]
    .if vec_id() == 0
        TLOAD t, far[0, 0]
        pipe_barrier ALL
        %s
    .endif
"""

PUTS = """
.kernel puts
.sym s : u8[1000]
.core aiv
.tile t : ub u8[1, 1024]
    .if vec_id() < 2 && rank() == 0
        TEXPANDS t, 1
        handoff V -> MTE3, 0
        TSTORE s@(1 + vec_id())[0], t{1, 1000}
    .endif
"""


def read(*places):
    return "\n".join("        TLOAD t, a[%d]\n        pipe_barrier ALL" % place for place in places)


class Durations(KernelTest):
    def report(self, text, *keys, profile="toy", ranks=1, options=(), outputs=()):
        with open(self.path("k.pto"), "w") as file:
            file.write(text)
        last = {key.partition("=")[0].strip(): key for key in keys}
        sets = [word for key in last.values() for word in ("--profile-set", key)]
        inputs = ["--in", "a=ones"] if "\n.in" in text else []
        inputs += ["--out=%s=%s" % (name, self.path(name + "_{rank}.npy")) for name in outputs]
        self.run_ok("--profile", profile, *sets, "--ranks", ranks, "--cores", 1, *options,
                    "--json=" + self.path("r.json"), "-q", "run", self.path("k.pto"), *inputs)
        with open(self.path("r.json")) as file:
            return json.load(file)

    def busy(self, report, pipe, core="aiv", rank=0):
        """Nanoseconds that the pipe was taken on the sub-cores of a kind together."""
        return sum(p["busy_ps"] for p in report["per_rank"][rank]["pipes"]
                   if (p["core"], p["pipe"]) == (core, pipe)) / 1000

    def reads(self, *places, cores=1, keys=()):
        """Reads of 1 KiB, one after the other, by so many sub-cores at once."""
        return self.busy(self.report(READS % (cores, read(*places)), *CACHE, *keys), "MTE2")

    def test_lines_that_are_there_pass_at_the_rate_of_the_path(self):
        self.assertEqual(self.reads(0), MISS)
        self.assertEqual(self.reads(0, 0, 1024, 0), 2 * MISS + 2 * HIT)

    def test_a_line_that_misses_is_no_faster_than_one_that_is_there(self):
        """64 bytes in 1 ns are faster than the path, which has 32 bytes a cycle of 1 ns."""
        self.assertEqual(self.reads(0, 0, keys=("l2_miss=1ns",)), 2 * HIT)
        self.assertEqual(self.reads(0, 0, keys=("l2_miss=3ns",)), 1024 // 64 * 3 + HIT)

    def test_without_a_cache_all_reads_cost_the_same(self):
        report = self.report(READS % (1, read(0, 0)))
        self.assertEqual(self.busy(report, "MTE2"), 2 * HIT)

    def test_a_line_under_way_is_no_hit_for_others(self):
        self.assertEqual(self.reads(0, cores=2), 2 * MISS)
        self.assertEqual(self.reads(0, 0, cores=2), 2 * MISS + 2 * HIT)

    def test_the_line_least_recently_used_leaves(self):
        """Four places of 1 KiB: the fifth piece takes that of the first, unless it was used."""
        self.assertEqual(self.reads(0, 1024, 2048, 3072, 0), 4 * MISS + HIT)
        self.assertEqual(self.reads(0, 1024, 2048, 0, keys=("l2_size=2KiB",)), 4 * MISS)
        self.assertEqual(self.reads(0, 1024, 0, 2048, 0, keys=("l2_size=2KiB",)),
                         3 * MISS + 2 * HIT)

    def test_memory_moves_what_is_not_there(self):
        """1 KiB at 1 GB/s is longer than the core's own 80 ns."""
        self.assertEqual(self.reads(0, 0, keys=("gm_bandwidth=1GB/s",)), 1024 + HIT)

    def test_parts_of_a_line_move_all_of_it(self):
        text = READS % (1, "        TLOAD t{1, 8}, a[56]")
        report = self.report(text, *CACHE, "gm_bandwidth=1GB/s")
        self.assertEqual(self.busy(report, "MTE2"), 64)
        report = self.report(text, *CACHE, "gm_bandwidth=1TB/s")
        self.assertEqual(self.busy(report, "MTE2"), 8 * 5 / 64)

    def test_what_lies_between_elements_far_apart_is_not_moved(self):
        """128 elements in 128 lines, whichever stride is the larger one."""
        for strides in ((64, 256), (1088, 8512), (32768, 1000), (128, 128 * 4)):
            with self.subTest(strides):
                keys = (*CACHE, "gm_bandwidth=1GB/s", "l2_size=64KiB")
                report = self.report(SPARSE % (*strides, ""), *keys)
                self.assertEqual(self.busy(report, "MTE2"), 128 * 64)
                report = self.report(SPARSE % (*strides, "TLOAD t, far[0, 0]"), *keys)
                self.assertEqual(self.busy(report, "MTE2"), 128 * 64 + HIT / 8)

    def test_what_was_written_goes_back_when_it_leaves(self):
        text = READS % (1, "        TEXPANDS t, 1\n        handoff V -> MTE3, 0\n"
                        "        TSTORE b[0], t\n        pipe_barrier ALL\n" + read(0, 1024, 2048))
        report = self.report(text, *CACHE, "l2_size=1KiB", "gm_bandwidth=1GB/s")
        self.assertEqual(self.busy(report, "MTE3"), HIT)    # nothing is read for it
        self.assertEqual(self.busy(report, "MTE2"), 1024 + 3 * 1024)

    def test_the_cache_itself_is_shared(self):
        self.assertEqual(self.reads(0, cores=2, keys=("l2_bandwidth=8GB/s",)), 128 + 256)

    def test_the_dma_engine_goes_through_the_cache(self):
        text = """
.kernel copies
.in  a : u8[1024]
.out b : u8[1024]
.core aiv
    .if vec_id() == 0
        %%e = TPUT_ASYNC b{1, 1024}, a{1, 1024}
        async_wait %%e
        %%e = TPUT_ASYNC b{1, 1024}, a{1, 1024}
        async_wait %%e
    .endif
""".replace("%%", "%")
        keys = (*CACHE, "gm_bandwidth=1GB/s", "async_bandwidth=1TB/s", "l2_bandwidth=100GB/s")
        self.assertEqual(self.busy(self.report(text, *keys), "DMA"), 1024 + 2 * 10.24)

    def test_rows_have_a_price(self):
        keys = ("cost.v_reduce = 20 cycles, 1 cycle/repeat, 5 cycles/row",
                "cost.v_reduce_group = 20 cycles, 3 cycles/repeat",
                "cost.v_combine = 20 cycles, 2 cycles/repeat, 1 cycle/row")
        for line, want in (("TROWSUM y{8, 1}, x", 8 * (2 + 5)),     # rows of two repeats
                           ("TROWSUM y{8, 1}, x{8, 64}", 8 * (1 + 5)),
                           ("TROWSUM y{8, 1}, x{8, 65}", 8 * (2 + 5)),
                           ("TROWEXPANDADD x, x, y{8, 1}", 8 * (2 * 2 + 1)),
                           ("TADDS x, x, 1.0", 16)):
            self.assertEqual(self.busy(self.report(VECTOR % line, *keys), "V"), want, line)

    def test_rows_reduced_in_groups(self):
        text = VECTOR.replace("f32[8, 128]", "f32[2, 1024]").replace("8,", "2,")
        text %= "TROWSUM y{2, 1}, x"
        keys = ("cost.v_reduce = 20 cycles, 1 cycle/repeat, 5 cycles/row",
                "cost.v_reduce_group = 20 cycles, 3 cycles/repeat", "capacity.ub = 64 KiB")
        self.assertEqual(self.busy(self.report(text, *keys), "V"), 2 * (16 + 5))
        text = text.replace("[2,", "[8,").replace("{2,", "{8,")
        self.assertEqual(self.busy(self.report(text, *keys), "V"), 8 * 16 * 3)

    def test_extracting_has_a_head_and_fix_counts_elements(self):
        text = """
.kernel product
.in  a : f16[16, 16]
.out c : f32[16, 16]
.core aic
.tile a1 : l1 f16[16, 16]
.tile a0 : l0a f16[16, 16]
.tile b0 : l0b f16[16, 16]
.tile c0 : l0c f32[16, 16]
    TLOAD a1, a
    handoff MTE2 -> MTE1, 0
    TEXTRACT a0, a1(0, 0)
    TEXTRACT b0, a1(0, 0)
    handoff MTE1 -> M, 0
    TMATMUL c0, a0, b0
    handoff M -> FIX, 0
    TSTORE c, c0
"""
        plain = self.report(text)
        other = self.report(text, "extract=40 cycles", "fix_element=2B")
        self.assertEqual(self.busy(plain, "MTE1", "aic"), 2 * 512 / 64)
        self.assertEqual(self.busy(other, "MTE1", "aic"), 2 * (40 + 512 / 64))
        self.assertEqual(self.busy(plain, "FIX", "aic"), 1024 / 32)
        self.assertEqual(self.busy(other, "FIX", "aic"), 512 / 32)

    def test_signals_from_other_ranks_change_later(self):
        plain, slow = (self.report(SIGNAL, *keys, ranks=2)["time_ps"]
                       for keys in ((), ("remote_wake=3us",)))
        self.assertEqual(slow - plain, 3000000)

    def ends_of_unawaited(self, told, *options, ranks=3):
        """Of the run without remote_wake, and of that with 3 us of it."""
        return [self.report(UNAWAITED.replace("%to", told), *keys, ranks=ranks,
                            options=options)["time_ps"] for keys in ((), ("remote_wake=3us",))]

    def test_a_signal_that_nobody_waits_for_holds_nothing_up(self):
        """The run ends when it has arrived, however it is run."""
        for told in TOLD:
            plain, slow = self.ends_of_unawaited(told)
            self.assertEqual(slow, plain, told)
            for ways in (("--threads", 2), ("--timing-only",), ("--check",), ("--critical-path",),
                         ("--trace", self.path("t")), ("--report", self.path("page"))):
                with self.subTest((told, ways)):
                    self.assertEqual(self.ends_of_unawaited(told, *ways), [plain, plain])

    def test_a_limit_on_time_is_one_on_the_end_of_the_run(self):
        """Signals may change after it, if that is where the run ends anyway."""
        for told in TOLD:
            end = self.ends_of_unawaited(told)[0]
            self.ends_of_unawaited(told, "--max-time", "%dps" % end)
        with open(self.path("k.pto"), "w") as file:
            file.write(SIGNAL)
        sees = self.report(SIGNAL, "remote_wake=3us", ranks=2)["time_ps"]
        err = self.run_bad(5, "--profile", "toy", "--profile-set", "remote_wake=3us", "--ranks", 2,
                           "--cores", 1, "--max-time", "%dps" % (sees - 1), "run",
                           self.path("k.pto"))
        self.assertIn("the limit on simulated time was reached", err)

    def test_who_comes_later_waits_for_the_same_change(self):
        """Rank 1 works for a while first; it sees the signal when it changes, not before."""
        text = SIGNAL.replace("            TWAIT", "            .for %i = 0 to LATE\n"
                              "            .endfor\n            TWAIT")
        told = []
        for late in range(0, 4001, 500):
            report = self.report(text.replace("LATE", str(late)), "remote_wake=3us", ranks=2)
            told.append(report["time_ps"])
        waits = [time for time in told if time == told[0]]
        self.assertGreater(len(waits), 2)
        self.assertEqual(told, sorted(told))
        self.assertGreater(told[-1], told[0])

    def test_puts_into_signals_and_into_others(self):
        """The wait is for what a put brings: late into a signal, as it arrives elsewhere."""
        text = SIGNAL.replace(".core aiv", ".core aiv\n.tile t : ub i32[1, 8]").replace(
            "TNOTIFY s@1[0], 1, add",
            "TEXPANDS t, 1\n            handoff V -> MTE3, 0\n"
            "            TSTORE s@1[0]{1, 1}, t{1, 1}")
        for declared, late in ((".signal s[1]", 3000000), (".sym s : i32[1]", 0)):
            plain, slow = (self.report(text.replace(".signal s[1]", declared), *keys,
                                       ranks=2)["time_ps"] for keys in ((), ("remote_wake=3us",)))
            self.assertEqual(slow - plain, late)

    def test_bytes_and_acknowledgements_are_as_early_as_ever(self):
        """A put into other objects than signals, the notify behind it and the dsb behind both."""
        text = PUTS.replace(
            "    .endif", "        pipe_barrier ALL\n        TNOTIFY g@(1 + vec_id())[0], 1, add\n"
            "        dsb\n        %now = clock()\n        st when[0], %now\n    .endif")
        text = text.replace(".sym s", ".signal g[1]\n.out when : i64[1]\n.sym s")
        whens = []
        for keys in ((), ("remote_wake=3us",)):
            self.report(text, *keys, ranks=3, outputs=("when",))
            whens.append(int(self.load("when_0.npy")[0]))
        self.assertEqual(whens[0], whens[1])

    def test_a_slower_notify_makes_nothing_faster(self):
        times = []
        for notify in ("1ps", "150ns", "300ns", "1us", "3us", "9us"):
            self.run_ok("-p", "a2", "--ranks", 8, "--profile-set", "notify=" + notify,
                        "--json=" + self.path("r.json"), "-q", "run",
                        kernel("collective/allreduce_ring.pto"), "--set", "count=4096", "--in",
                        "x=zeros", "--timing-only")
            with open(self.path("r.json")) as file:
                times.append(json.load(file)["time_ps"])
        self.assertEqual(times, sorted(times))

    def test_threads_change_nothing_about_signals(self):
        text = SIGNAL.replace("rank() == 0", "rank() > 0").replace("s@1", "s@0").replace(
            "ge, 1", "ge, 3")
        one, two = (self.report(text, "remote_wake=3us", ranks=4, options=("--threads", threads))
                    for threads in (1, 2))
        self.assertEqual(one["time_ps"], two["time_ps"])

    def test_all_links_of_a_rank_share_its_egress(self):
        plain, both = (self.busy(self.report(PUTS, *keys, ranks=3), "MTE3")
                       for keys in ((), ("egress_bandwidth=10GB/s",)))
        self.assertEqual((plain, both), (100 + 100, 100 + 200))

    def test_threads_and_times_alone_change_nothing(self):
        text = READS % (2, read(0, 1024, 0, 3072, 512))
        keys = (*CACHE, "l2_size=2KiB", "gm_bandwidth=3GB/s")
        ends = {self.report(text, *keys, ranks=3, options=options)["time_ps"]
                for options in (("--threads", 1), ("--threads", 2), ("--timing-only",))}
        self.assertEqual(len(ends), 1)

    def test_refusals(self):
        for key, words in (("queue_dept = 8", "did you mean queue_depth?"),
                           ("cores = 0", "out of range"), ("l2_ways = 6", "multiple of 4"),
                           ("base = a3", "must be the first key"),
                           ("l2_size = 1 MiB", "l2_size needs l2_line, l2_ways and l2_bandwidth"),
                           ("link_latency=1us\ncores=1", "one key in one line"),
                           ("cores=1\n", "one key in one line"), ("# x", "without a comment"),
                           ("cores=1 # x", "without a comment"), (" ", "KEY=VALUE")):
            said = self.run_bad(2, "-p", "toy", "--profile-set", key, "run",
                                kernel("basic/vadd.pto"))
            self.assertIn(words, said)


if __name__ == "__main__":
    unittest.main()
