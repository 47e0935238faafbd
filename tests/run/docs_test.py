"""Runs every command line of docs/kernels.md; every kernel must have one."""

import glob
import os
import re
import shlex
import unittest

from harness import SOURCE, ptovm

PROGRAM = "build/bin/ptovm "


def commands():
    """(arguments, expected exit code) of every command line; `# exit N` behind it: not 0 but N."""
    with open(os.path.join(SOURCE, "docs", "kernels.md")) as file:
        for line in file:
            if line.startswith(PROGRAM):
                command, _, remark = line[len(PROGRAM):].partition("#")
                code = re.search(r"exit (\d+)", remark)
                yield shlex.split(command), int(code.group(1)) if code else 0


class Docs(unittest.TestCase):
    def test_commands(self):
        for arguments, code in commands():
            with self.subTest(" ".join(arguments)):
                result = ptovm(*arguments, cwd=SOURCE)
                self.assertEqual(result.code, code, result.err)

    def test_every_kernel_has_a_command(self):
        shown = {argument.partition(":")[0]
                 for arguments, _ in commands() for argument in arguments}
        for path in glob.glob(os.path.join(SOURCE, "kernels", "*", "*.pto")):
            self.assertIn(os.path.relpath(path, SOURCE), shown)

    def test_every_library_has_a_line(self):
        with open(os.path.join(SOURCE, "docs", "kernels.md")) as file:
            listed = re.findall(r"^\| `(\w+\.inc)` \|", file.read(), re.MULTILINE)
        self.assertEqual(sorted(listed), sorted(
            map(os.path.basename, glob.glob(os.path.join(SOURCE, "kernels", "lib", "*.inc")))))


if __name__ == "__main__":
    unittest.main()
