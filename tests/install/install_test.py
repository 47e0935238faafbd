"""Install the build into an empty folder, and use what is there: programs that find their kernels,
manual pages, completions, a library for other projects, a package."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(pto.BIN, "..")
EXAMPLE = pto.source("docs", "examples", "vadd.c")
SAID = "1000 sums on each of 2 ranks"


def run(*words, cwd=None, **environment):
    done = subprocess.run([str(w) for w in words], cwd=cwd, env={**os.environ, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise AssertionError("%s: exit %d\n%s" % (" ".join(map(str, words)), done.returncode,
                                                  done.stdout[-4000:]))
    return done.stdout


def version():
    with open(pto.source("CMakeLists.txt")) as file:
        return re.search(r"project\(pto VERSION (\S+)", file.read()).group(1)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="pto-install-")
        cls.prefix = os.path.join(cls.folder, "a prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.lib = os.path.dirname(glob.glob(cls.prefix + "/lib/**/libpto.a", recursive=True)[0])

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def installed(self, *parts):
        return os.path.join(self.prefix, *parts)

    def test_programs_find_their_kernels(self):
        """A text anywhere may include what is installed; -I comes first."""
        path = os.path.join(self.folder, "k.pto")
        with open(path, "w") as file:
            file.write('.include "sync.inc"\n.kernel k\n.core aiv\n    end\n')
        run(self.installed("bin", "ptovm"), "run", path)
        run(self.installed("bin", "ptoas"), path, "-o", path + "b")
        run(self.installed("bin", "ptodbg"), path, "--batch", "-e", "run")
        run(self.installed("bin", "ptovm"), "run", "--set", "n=100", "--in", "a=iota", "--in",
            "b=iota", self.installed("share/pto/kernels/basic/vadd.pto"))
        with open(os.path.join(self.folder, "sync.inc"), "w") as file:
            file.write("neither statement nor macro\n")
        with self.assertRaisesRegex(AssertionError, "neither statement"):
            run(self.installed("bin", "ptovm"), "run", path)
        os.remove(os.path.join(self.folder, "sync.inc"))

    def test_one_version(self):
        for program in ["ptoas", "ptovm", "ptodbg"]:
            self.assertIn(" %s\n" % version(), run(self.installed("bin", program), "--version"))
        with open(pto.source("CHANGELOG.md")) as file:
            self.assertEqual(re.search(r"^## (\S+)", file.read(), re.M).group(1), version())
        self.assertIn(version(), run("pkg-config", "--modversion", "pto",
                                     PKG_CONFIG_PATH=self.lib + "/pkgconfig"))

    def test_symbols(self):
        """The functions of pto.h, all of them and nothing else, shared and static."""
        with open(self.installed("include", "pto.h")) as file:
            declared = set(re.findall(r"PTO_API [\w ]*?\*?(pto_\w+)\(", file.read()))
        self.assertGreater(len(declared), 20)
        for command in [["nm", "-D", "--defined-only", self.lib + "/libpto.so"],
                        ["nm", "-g", "--defined-only", self.lib + "/libpto.a"]]:
            words = [line.split() for line in run(*command).splitlines()]
            self.assertEqual({w[2] for w in words if len(w) == 3}, declared, command)

    def test_soname(self):
        names = os.listdir(self.lib)
        major_minor = version().rpartition(".")[0]
        for name in ["libpto.so", "libpto.so." + major_minor, "libpto.so." + version()]:
            self.assertIn(name, names)
        self.assertIn("[libpto.so.%s]" % major_minor, run("readelf", "-d", self.lib + "/libpto.so"))

    def test_find_package(self):
        build = os.path.join(self.folder, "consumer")
        run("cmake", "-S", os.path.join(HERE, "consumer"), "-B", build,
            "-DCMAKE_PREFIX_PATH=" + self.prefix, "-DEXAMPLE=" + EXAMPLE)
        run("cmake", "--build", build)
        for name in ["shared", "static"]:
            self.assertIn(SAID, run(os.path.join(build, name)))
        with open(os.path.join(build, "kernels")) as file:
            self.assertTrue(os.path.isfile(os.path.join(file.read(), "basic", "vadd.pto")))

    def test_pkg_config(self):
        environment = {"PKG_CONFIG_PATH": self.lib + "/pkgconfig"}
        for static in [False, True]:
            program = os.path.join(self.folder, "by_pkg_config")
            flags = run("pkg-config", "--cflags", "--libs", *["--static"] * static, "pto",
                        **environment)
            flags = re.findall(r"(?:\\.|\S)+", flags)
            flags = [re.sub(r"\\(.)", r"\1", flag) for flag in flags]
            if static:
                flags[flags.index("-lpto")] = "-l:libpto.a"
            run(os.environ.get("PTO_CC", "cc"), EXAMPLE, "-o", program, *flags)
            self.assertIn(SAID, run(program, LD_LIBRARY_PATH="" if static else self.lib))

    def test_within_another_project(self):
        build = os.path.join(self.folder, "within")
        run("cmake", "-S", os.path.join(HERE, "within"), "-B", build,
            "-DPTO_SOURCE_DIR=" + pto.SOURCE)
        self.assertIn("example", run("cmake", "--build", build, "--target", "help"))
        run("cmake", "--build", build, "--target", "pto_tool")

    def test_manual_pages(self):
        pages = sorted(glob.glob(self.installed("share/man/man*/*")))
        self.assertEqual([os.path.basename(p) for p in pages],
                         ["ptoas.1", "ptodbg.1", "ptovm.1", "pto-profile.5", "pto-report.5",
                          "pto.5", "ptob.5"])
        self.assertEqual(run("mandoc", "-Tlint", *pages), "")
        for page, program in zip(pages, ["ptoas", "ptodbg", "ptovm"]):
            text = re.sub(".\b", "", run("mandoc", page))
            help_text = run(self.installed("bin", program), "--help")
            for option in re.findall(r"^ +(?:-\w, )?(--[\w-]+)", help_text, re.M):
                self.assertIn(option, text)
        report = re.sub(".\b", "", run("mandoc", self.installed("share/man/man5/pto-report.5")))
        for key in ("schema", "per_rank[].pipes[].busy_ps", "findings[].accesses[].line"):
            self.assertIn(key, report)
        text = re.sub(".\b", "", run("mandoc", self.installed("share/man/man5/pto.5")))
        self.assertRegex(text, r"\nMacros and includes\n +\.macro publish signal")

    def test_completions(self):
        folder = self.installed("share/bash-completion/completions")
        said = run("bash", "-c", "source %s/ptovm; COMP_WORDS=(ptovm --link); COMP_CWORD=1; _ptovm;"
                   "echo ${COMPREPLY[@]}" % folder.replace(" ", "\\ "))
        self.assertEqual(said, "--link-down\n")
        said = run("bash", "-c", "source %s/ptoas; COMP_WORDS=(ptoas --sync in); COMP_CWORD=2;"
                   "_ptoas; echo ${COMPREPLY[@]}" % folder.replace(" ", "\\ "))
        self.assertEqual(said, "inorder\n")
        for program in ["ptoas", "ptovm", "ptodbg"]:
            fish = self.installed("share/fish/vendor_completions.d", program + ".fish")
            with open(fish) as file:
                self.assertIn("-l include -s I", file.read())
            zsh = self.installed("share/zsh/vendor-completions", "_" + program)
            if shutil.which("zsh"):
                run("zsh", "-n", zsh)

    @unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "no dpkg-dev")
    def test_package(self):
        made = os.path.join(self.folder, "package")
        run("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", made,
            cwd=self.folder)
        deb, = glob.glob(made + "/*.deb")
        self.assertIn("libc6", run("dpkg-deb", "-f", deb, "Depends"))
        root = os.path.join(self.folder, "root")
        run("dpkg-deb", "-x", deb, root)
        run(root + "/usr/bin/ptovm", "run", "--set", "n=100", "--in", "a=iota", "--in", "b=iota",
            root + "/usr/share/pto/kernels/basic/vadd.pto")


if __name__ == "__main__":
    unittest.main()
