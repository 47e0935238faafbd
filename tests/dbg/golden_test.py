"""Sessions of ptodbg in batch mode: golden_test.py [--update] [NAME...]

NAME.cmd is a script; its first lines say `# args: ...` and, if not 0, `# exit: N`.  What ptodbg
answers has to be NAME.out.  errors.txt holds commands that have to fail and what they answer.
Every command has to be in the manual.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import pto  # noqa: E402

FOLDER = pto.source('tests', 'dbg')


def run(words):
    """Standard output and error in one text, and the exit status."""
    done = subprocess.run([pto.program('ptodbg'), '--profile', 'toy', '--batch', *words],
                          cwd=FOLDER, text=True, timeout=pto.TIMEOUT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout, done.returncode


def headers(path):
    with open(path) as file:
        text = file.read()
    args = re.search(r'^# args: (.*)$', text, re.M).group(1).split()
    code = re.search(r'^# exit: (\d+)$', text, re.M)
    return args, int(code.group(1)) if code else 0


def first_difference(wanted, got):
    for number, (a, b) in enumerate(zip(wanted + ['(end)'], got + ['(end)']), 1):
        if a != b:
            return f'line {number}:\n  wanted {a}\n  got    {b}'
    return 'one is longer'


def check_session(name, update):
    args, code = headers(os.path.join(FOLDER, name + '.cmd'))
    text, got = run([*args, '-x', name + '.cmd'])
    again, _ = run([*args, '-x', name + '.cmd'])
    problems = []
    if got != code:
        problems.append(f'exit status {got}, not {code}')
    if text != again:
        problems.append('two runs differ')
    path = os.path.join(FOLDER, name + '.out')
    if update:
        with open(path, 'w') as file:
            file.write(text)
    with open(path) as file:
        wanted = file.read()
    if text != wanted:
        problems.append(first_difference(wanted.splitlines(), text.splitlines()))
    return problems


def check_errors():
    problems = []
    args = 'add.pto --cores 1 --set n=200 --in a=iota --in b=ones'.split()
    with open(os.path.join(FOLDER, 'errors.txt')) as file:
        lines = [line.rstrip('\n') for line in file if not line.startswith('#')]
    for line in lines:
        commands, wanted = line.split(' => ')
        words = [word for command in commands.split('; ') for word in ('-e', command)]
        text, code = run([*args, *words])
        if code != 2 or wanted not in text or 'error: ' not in text:
            problems.append(f'{commands}: exit status {code}, answer {text!r}')
    return problems


def check_start():
    """What goes wrong before there is a session."""
    problems = []
    cases = [([], 2, 'no kernel file given'), (['nowhere.pto'], 2, "cannot read 'nowhere.pto'"),
             (['add.pto', '--expect', 'c=ones'], 2, 'unknown option'),
             (['add.pto', '--set', 'n=64'], 2, "'a'"), (['errors.txt'], 1, 'error'),
             (['fault.pto', '-x', 'nowhere.cmd'], 2, "cannot read 'nowhere.cmd'"),
             (['fault.pto', '-ex', 'info ranks'], 0, 'rank 0'),
             (['fault.pto', '-e', 'run'], 1, 'fault.pto:7:13: fault: division by zero'),
             (['stuck.pto', '--in', 'a=ones', '-e', 'run'], 3, 'deadlock: '),
             (['forever.pto', '--max-time', '2us', '-e', 'run'], 5, 'limit: '),
             (['add.pto', '--set', 'n=8', '--in', 'a=ones', '--in', 'b=ones', '-e', 'run',
               '--out', 'c=/nowhere/c.npy'], 2, '/nowhere/c.npy'),
             (['--help'], 0, '--batch'),
             (['--version'], 0, 'ptodbg')]
    for words, code, wanted in cases:
        text, got = run(words)
        if got != code or wanted not in text:
            problems.append(f'{words}: exit status {got}, answer {text!r}')
    return problems


def check_manual():
    text, _ = run(['fault.pto', '-e', 'help'])
    text = text[:text.index('Commands can be shortened')]
    with open(pto.source('docs', 'debugger.md')) as file:
        manual = file.read()
    usages = re.findall(r'^([a-z].*?)(?:   \(short: (.*)\))?$', text, re.M)
    missing = [usage for usage, _ in usages if f'`{usage}`' not in manual.replace('\\|', '|')]
    if len(usages) < 30:
        return [f'help names only {len(usages)} commands']
    return [f'docs/debugger.md does not have `{usage}`' for usage in missing]


def main():
    update = '--update' in sys.argv
    chosen = [name for name in sys.argv[1:] if name != '--update']
    names = sorted(name[:-4] for name in os.listdir(FOLDER) if name.endswith('.cmd'))
    checks = {name: lambda name=name: check_session(name, update)
              for name in names}
    checks['errors'] = check_errors
    checks['before the session'] = check_start
    checks['manual'] = check_manual
    failed = 0
    for name, check in checks.items():
        if chosen and name not in chosen:
            continue
        problems = check()
        failed += bool(problems)
        print('FAILED' if problems else 'ok', name)
        for problem in problems:
            print(problem)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
