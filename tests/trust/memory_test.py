"""Memory that a run takes."""
import os
import subprocess

import trust
from trust import LIMIT, pto

MIB = 1 << 20


def peak(b, code, *words):
    """Largest resident memory of a run that ends with this status, in bytes."""
    process = subprocess.Popen([pto.program(words[0]), *words[1:]], cwd=b.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == code, process.returncode
    return usage.ru_maxrss * 1024


def test_launches_of_a_kernel_share_what_is_the_same(b):
    words = ['ptovm', '--cores', '1', '--max-time', '1ns', 'run',
             b.kernel('attention/flash_attention.pto'), '--in', 'q=iota', '--in', 'k=iota', '--in',
             'v=iota', '--set', 's0=16', '--set', 's1=16', '--set', 'h=16']
    one, many = peak(b, LIMIT, *words), peak(b, LIMIT, *words, '--repeat', '10000')
    assert many - one < 4 * MIB, '%d bytes for 10000 launches' % (many - one)


if __name__ == '__main__':
    trust.main(globals())
