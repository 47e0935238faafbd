"""What is compiled once per level carries the level in its name.

A name without it would be defined once for each level, and the linker would take the first for all
of them: wrong on old hosts, slow on new ones, and no other test would see it."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

LIBRARY = sys.argv.pop(1)
LEVELS = ("base", "v3", "v4")
CHOICE = "select.c"  # compiled once, and says so


def definitions(library):
    """Names that other objects see, with the object that defines each."""
    done = subprocess.run(["nm", "-A", "-g", "--defined-only", library], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in done.stdout.splitlines():
        place, name = line.split()[0], line.split()[-1]
        if not name.startswith("__"):  # of sanitizers and of the C library
            yield place.split(":")[1], name


def unsound(library):
    seen, found = set(), []
    for member, name in definitions(library):
        if name in seen:
            found.append("%s is defined twice" % name)
        elif not member.startswith(CHOICE) and name.rpartition("_")[2] not in LEVELS:
            found.append("%s (%s) names no level" % (name, member))
        seen.add(name)
    return found


@unittest.skipUnless(shutil.which("nm"), "no nm")
class Names(unittest.TestCase):
    def test_every_name_has_its_level(self):
        names = [name for _, name in definitions(LIBRARY)]
        self.assertIn("op_TADD_base", names)
        self.assertEqual(unsound(LIBRARY), [])

    @unittest.skipUnless(shutil.which("cc") and shutil.which("ar"), "no C compiler")
    def test_a_name_without_one_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            def build(*texts):
                objects = []
                for number, text in enumerate(texts):
                    source = os.path.join(folder, "f%d.c" % number)
                    objects.append(os.path.join(folder, "f%d.o" % number))
                    with open(source, "w") as file:
                        file.write(text)
                    subprocess.run(["cc", "-c", source, "-o", objects[-1]], check=True)
                library = os.path.join(folder, "lib%d.a" % len(os.listdir(folder)))
                subprocess.run(["ar", "rc", library, *objects], check=True)
                return unsound(library)

            self.assertEqual(build("int op_a_base(void) { return 1; }",
                                   "int op_a_v3(void) { return 1; }"), [])
            self.assertEqual(build("int op_a(void) { return 1; }", "int op_b_v3;"),
                             ["op_a (f0.o) names no level"])
            self.assertEqual(build("const int op_a_v3 = 1;", "const int op_a_v3 = 1;"),
                             ["op_a_v3 is defined twice"])


unittest.main()
