"""Links that serve those who send in turns (`link_turns`), against closed forms. Profile toy has
links of 10 GB/s, 1000 bytes in 100 ns, and paths of 32 bytes a cycle of 1 ns."""

import json
import unittest

import numpy as np

from harness import KernelTest, kernel

TURNS = "link_turns=yes"
FAST = ("gm_bandwidth=1TB/s", "async_bandwidth=1TB/s")

# What the two vector sub-cores of rank 0 do at the same time.
SENDS = """
.kernel sends
.sym s : u8[4096]
.core aiv
.tile t : ub u8[1, 4096]
    .if rank() == 0
        TEXPANDS t, 1
        handoff V -> MTE3, 0
        .if vec_id() == 0
%s
        .else
%s
        .endif
    .endif
"""
PUT = "            TSTORE s@%d[0], t{1, %d}"
HERE = "            TSTORE s[0], t{1, %d}"          # takes a cycle for 32 bytes
COPY = "            %%e = TPUT_ASYNC s@1{1, %d}, s{1, %d}\n            async_wait %%e"

# Each of them reads from rank 1, and writes down how long it took.
READS = """
.kernel reads
.sym s : u8[4096]
.out took : i64[vec_count()]
.core aiv
.tile t : ub u8[1, 1024]
.tile u : ub u8[1, 1024]
    .if rank() == 0 && vec_id() < %d
        %%from = clock()
%s
        handoff MTE2 -> S, 0
        %%now = clock()
        st took[vec_id()], %%now - %%from
    .endif
"""
READ = "        TLOAD %s{1, %d}, s@1[0]"

# Two copies by an engine, and a load of another sub-core that comes during the second; all from
# rank 1.
GETS = """
.kernel gets
.param who : i64
.sym s : u8[8192]
.out took : i64[vec_count()]
.core aiv
.tile t : ub u8[1, 4096]
    %from = clock()
    .if rank() == 0 && vec_id() == 0 && who & 1
        %e = TGET_ASYNC s{1, 1000}, s@1{1, 1000}
        %f = TGET_ASYNC s[4096]{1, 1000}, s@1{1, 1000}
        async_wait %f
    .endif
    .if rank() == 0 && vec_id() == 1 && who & 2
        .for %i = 0 to 50
            %x = %i
        .endfor
        TLOAD t{1, 3000}, s@1[0]
        handoff MTE2 -> S, 0
    .endif
    %now = clock()
    st took[vec_id()], %now - %from
"""

# Each sub-core sends its bytes to rank 1 when it has stored some here.
CROWD = """
.kernel crowd
.sym s : u8[16384]
.in  before : i64[vec_count()]
.in  bytes : i64[vec_count()]
.core aiv
.tile t : ub u8[1, 4096]
    .if rank() == 0
        %before = ld before[vec_id()]
        %bytes = ld bytes[vec_id()]
        TEXPANDS t, 1
        sync_all aiv
        handoff V -> MTE3, 0
        TSTORE s[0], t{1, 32 * %before}
        TSTORE s@1[0], t{1, %bytes}
    .endif
"""

# Behind it a pipe waits for S.
BEHIND = """            wait_flag S, MTE3, 1
            .for %i = 0 to 300
                %x = %i
            .endfor
            set_flag S, MTE3, 1"""


class Turns(KernelTest):
    def report(self, text, *keys, ranks=3, cores=1, options=(), outputs=(), given=()):
        with open(self.path("k.pto"), "w") as file:
            file.write(text)
        sets = [word for key in (*FAST, *keys) for word in ("--profile-set", key)]
        outputs = ["--out=%s=%s" % (name, self.path(name + "_{rank}.npy")) for name in outputs]
        self.run_ok("--profile", "toy", *sets, "--ranks", ranks, "--cores", cores, *options,
                    "--json=" + self.path("r.json"), "-q", "run", self.path("k.pto"), *given,
                    *outputs)
        with open(self.path("r.json")) as file:
            return json.load(file)

    def busy(self, first, second, *keys, pipe="MTE3", options=()):
        """Nanoseconds that the pipes of both together were taken."""
        text = SENDS % tuple("\n".join(one) for one in (first, second))
        report = self.report(text, *keys, options=options)
        return sum(p["busy_ps"] for p in report["per_rank"][0]["pipes"] if p["pipe"] == pipe) / 1000

    def test_two_get_half_each(self):
        self.assertEqual(self.busy([PUT % (1, 1000)], [PUT % (1, 1000)]), 100 + 200)
        self.assertEqual(self.busy([PUT % (1, 1000)], [PUT % (1, 1000)], TURNS), 200 + 200)

    def test_links_to_others_are_others(self):
        self.assertEqual(self.busy([PUT % (1, 1000)], [PUT % (2, 1000)], TURNS), 100 + 100)

    def test_a_short_transfer_does_not_wait_for_a_long_one(self):
        """Two of 20 ns at half the rate, beside the first 80 ns of one that takes 140."""
        short = [PUT % (1, 200)] * 2
        self.assertEqual(self.busy([PUT % (1, 1000)], short), 100 + 120 + 20)
        self.assertEqual(self.busy([PUT % (1, 1000)], short, TURNS), 140 + 40 + 40)

    def test_who_comes_later_puts_off_who_was_there(self):
        """10 ns alone, 100 ns side by side, 40 ns alone."""
        late = [HERE % 320, PUT % (1, 500)]
        self.assertEqual(self.busy([PUT % (1, 1000)], late, TURNS), 150 + 10 + 100)

    def test_no_work_is_lost_in_rounding(self):
        """1000, 333 and 320 bytes at 7 GB/s, of which each is rounded up once."""
        work = [-(-size * 1000 // 7) for size in (1000, 333)]
        late = [HERE % 320, PUT % (1, 333)]
        self.assertEqual(self.busy([PUT % (1, 1000)], late, TURNS, "link_bandwidth=7GB/s"),
                         (sum(work) + 10000 + 2 * work[1]) / 1000)

    def test_a_path_that_is_slower_than_its_share(self):
        """1000 bytes pass UB's path in 1000 ns, whatever the link does."""
        slow = "path.ub.gm=MTE3, 1 B/cycle, 100 cycles"
        self.assertEqual(self.busy([PUT % (1, 1000)], [PUT % (1, 1000)], TURNS, slow), 2000)

    def test_the_engine_takes_turns_with_pipes(self):
        copy = [COPY % (1000, 1000)]
        self.assertEqual(self.busy(copy, copy, pipe="DMA"), 100 + 200)
        self.assertEqual(self.busy(copy, copy, TURNS, pipe="DMA"), 200 + 200)
        puts = [PUT % (1, 4000)]                # under way when the engine begins
        took = [self.busy(copy, puts, TURNS, "async_startup=300ns", pipe=pipe)
                for pipe in ("DMA", "MTE3")]
        self.assertEqual(took, [200, 500])

    def test_replies_take_turns(self):
        """Those of one sub-core leave one after the other."""
        def took(cores, sizes, *keys):
            reads = "\n".join(READ % ("tu"[i], size) for i, size in enumerate(sizes))
            self.report(READS % (cores, reads), *keys, outputs=("took",))
            return self.load("took_0.npy")[:cores]

        alone = int(took(1, [1000])[0])
        self.assertEqual(list(took(2, [1000]) - alone), [0, 100000])
        self.assertEqual(list(took(2, [1000], TURNS) - alone), [100000, 100000])
        both = took(1, [1000, 500])
        self.assertEqual(list(took(1, [1000, 500], TURNS)), list(both))

    def test_replies_to_one_engine_have_one_share(self):
        """What is left of the second when the load comes, both are put off by."""
        def took(who):
            self.report(GETS, TURNS, "async_startup=1ns", outputs=("took",),
                        given=("--set", "who=%d" % who))
            return self.load("took_0.npy")

        engine, load = took(3)[:2] - [took(1)[0], took(2)[1]]
        self.assertEqual(engine, load)
        self.assertTrue(0 < load < 100000, load)

    def test_a_link_with_work_is_never_idle(self):
        """However many share it and with what rest: it is through when it would be with one after
        the other, to the picosecond."""
        rng = np.random.default_rng(3)
        for _ in range(24):
            given = ("--in", "before=" + self.save("b.npy", rng.permutation(40)[:4] + 1),
                     "--in", "bytes=" + self.save("n.npy", rng.integers(900, 4000, 4)))
            times = [self.report(CROWD, turns, "link_bandwidth=7GB/s", "clock=1.37 GHz", cores=2,
                                 given=given)["time_ps"]
                     for turns in ("link_turns=no", TURNS)]
            self.assertEqual(*times)

    def test_a_wait_begins_when_the_transfer_is_through(self):
        """It is put off by 50 ns."""
        text = SENDS % ("\n".join((PUT % (1, 1000), BEHIND)),
                        "\n".join((HERE % 320, PUT % (1, 500))))
        waits = [next(p["wait_ps"] for p in self.report(text, turns)["per_rank"][0]["pipes"]
                      if p["pipe"] == "MTE3") for turns in ("link_turns=no", TURNS)]
        self.assertEqual(waits[0] - waits[1], 50000)

    def test_what_is_put_off_is_cut_by_a_link_that_goes_down(self):
        """While it is alone it would be through before that."""
        for what in (PUT % (1, 1000), COPY % (1000, 1000)):
            text = SENDS % (what, what)
            path = self.path("trace.json")
            self.report(text, TURNS, options=("--trace", path))
            with open(path) as file:
                left = max(e["args"]["start_ps"] for e in json.load(file)
                           if e["ph"] == "X" and e["pid"] == 0 and e["name"] == "put")
            sets = [word for key in (*FAST, TURNS) for word in ("--profile-set", key)]
            down = left - 20000
            err = self.run_bad(1, "--profile", "toy", *sets, "--ranks", 3, "--cores", 1,
                               "--link-down", "0-1@%dps" % down, "run", self.path("k.pto"))
            self.assertIn("went down at %.3f us" % (down / 1e6), err)
            self.assertRegex(err, r"pipe (MTE3|DMA), at %.3f us" % (down / 1e6))

    def test_a_link_that_changes_its_pace(self):
        """When the transfers begin is what one of them, cut by the change, tells."""
        one, both = ([PUT % (1, 1000)], []), ([PUT % (1, 1000)], [PUT % (1, 1000)])
        for at in range(10, 1000, 10):
            slow = ("--slow-link", "0-1=2@%dns..9us" % at)
            single = self.busy(*one, options=slow)
            if 100 < single < 200:
                break
        before = 200 - single           # at full pace
        self.assertEqual(self.busy(*one, TURNS, options=slow), single)
        self.assertEqual(self.busy(*both, TURNS, options=slow),
                         2 * (before + 2 * (200 - before)))

    def test_the_port_of_a_ring_and_a_switch(self):
        for topology in ("ring", "switch", "nodes:1"):
            with self.subTest(topology):
                keys = () if topology != "nodes:1" else ("network_bandwidth=10GB/s",)
                options = ("--topology", topology)
                self.assertEqual(self.busy([PUT % (1, 1000)], [PUT % (1, 1000)], TURNS, *keys,
                                           options=options), 200 + 200)

    def test_ranks_that_share_egress(self):
        self.assertEqual(self.busy([PUT % (1, 1000)], [PUT % (2, 1000)], TURNS,
                                   "egress_bandwidth=10GB/s"), 100 + 200)

    def test_nothing_depends_on_who_looks_or_works(self):
        """Times of a kernel whose transfers put each other off, however it is run."""
        words = ["-p", "a2", "--ranks", 4, "--cores", 4, "--json=" + self.path("r.json"), "-q"]
        run = ["run", kernel("fused/gemm_ar.pto"), "--set", "m=512", "--set", "k=64", "--set",
               "n=512", "--in=a=zeros", "--in=b=zeros"]
        reports = []
        for more in ([], ["--threads", 2], ["--timing-only"], ["--trace", self.path("t.json")],
                     ["--critical-path"], ["--report", self.path("page.html")]):
            self.run_ok(*words, *more, *run)
            with open(self.path("r.json")) as file:
                report = json.load(file)
            reports.append([report["time_ps"], [rank["pipes"] for rank in report["per_rank"]]])
        for report in reports[1:]:
            self.assertEqual(report, reports[0])


if __name__ == "__main__":
    unittest.main()
