"""Every kernel that runs on several ranks, as docs/kernels.md shows it, by several processes:
results, screen, reports and traces are those of one."""

import unittest

import docs_test
import threads_test
from harness import sample
from processes import ProcessTest


# Sizes at which the pages measure something; what is shown here takes less.
SMALLER = {"count=1000003": "count=60003", "bytes=4M": "bytes=500K"}


class Kernels(ProcessTest):
    def commands(self):
        """Of all that run on several ranks: arguments, exit status, ranks."""
        several = [(a, c) for a, c in docs_test.commands() if "--ranks" in a]
        self.assertGreater(len(several), 20)
        return [([SMALLER.get(word, word) for word in arguments], code,
                 int(arguments[arguments.index("--ranks") + 1]))
                for arguments, code in several
                if "--check" not in arguments and "check" not in arguments]

    def test_all_kernels(self):
        for i, (arguments, code, ranks) in enumerate(sample(self.commands(), 4)):
            with self.subTest(" ".join(arguments)):
                alone = self.compare(arguments, (min(2 + i % 3, ranks),))
                self.assertEqual(alone["code"], code)

    def test_all_kernels_in_two_nodes(self):
        """Each process has a node, and is ahead of the other while nobody looks on.  How broken
        kernels end depends on the time that the network takes."""
        for arguments, _, ranks in sample(self.commands(), 8):
            if "--topology" in arguments or ranks % 2:
                continue
            words = ("--topology", "nodes:%d" % (ranks // 2), *arguments)
            with self.subTest(" ".join(words)):
                names = threads_test.results(words)
                alone = self.everything(1, words, names, traced=False)
                self.assertEqual(self.everything(2, words, names, traced=False), alone)


if __name__ == "__main__":
    unittest.main()
