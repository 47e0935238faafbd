"""Every kernel that runs on several ranks, as docs/kernels.md shows it, by several processes:
results, screen, reports and traces are those of one."""

import unittest

import docs_test
from processes import ProcessTest


# Sizes at which the pages measure something; what is shown here takes less.
SMALLER = {"count=1000003": "count=60003", "bytes=4M": "bytes=500K"}


class Kernels(ProcessTest):
    def test_all_kernels(self):
        several = [(a, c) for a, c in docs_test.commands() if "--ranks" in a]
        self.assertGreater(len(several), 20)
        for i, (arguments, code) in enumerate(several):
            if "--check" in arguments or "check" in arguments:
                continue
            ranks = int(arguments[arguments.index("--ranks") + 1])
            arguments = [SMALLER.get(word, word) for word in arguments]
            with self.subTest(" ".join(arguments)):
                alone = self.compare(arguments, (min(2 + i % 3, ranks),))
                self.assertEqual(alone["code"], code)


if __name__ == "__main__":
    unittest.main()
