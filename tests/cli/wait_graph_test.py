"""--wait-graph: of a deadlock, every party that waits, and for whom."""
import json
import re

from workbench import DEADLOCK, main, pto

HEAD = '.kernel k\n.mix %s\n.signal go[2]\n.gm box : i32[8]\n.core aiv\n.tile t : ub f32[1, 8]\n'


def graph(b, *words):
    """({party: (where it is, why it waits)}, {(party, other or signal or flag, label)})."""
    b.run('run', '-p', 'toy', '--cores', '1', '--wait-graph', 'waits', *words, expect=DEADLOCK)
    with open(b.path('waits')) as file:
        text = file.read()
    assert text.startswith('digraph waits {\n') and text.endswith('}\n'), text
    nodes = {name: (where, why) for name, where, why in re.findall(
        r'^    "([^"]+)" \[label="rank \d+, [^\\]+\\n(\S+ at [^\\]+)\\n([^"]+)"\];$', text, re.M)}
    edges = {(a, z, label) for a, z, label in re.findall(
        r'^    "([^"]+)" -> "([^"]+)"(?: \[label="([^"]+)"\])?;$', text, re.M)}
    assert len(nodes) + len(edges) + text.count('shape=box') == text.count(';\n') - 1, text
    return nodes, edges


def inline(b, mix, *lines):
    with open(b.path('k.pto'), 'w') as file:
        file.write(HEAD % mix + ''.join('    %s\n' % line for line in lines))
    nodes, edges = graph(b, 'k.pto')
    return {name: ('%s' % where.partition(' at k.pto:')[0], why)
            for name, (where, why) in nodes.items()}, edges


def test_a_pipe_waits_for_a_flag(b):
    nodes, edges = inline(b, '1:1', 'wait_flag MTE2, V, 0', 'TEXPANDS t, 1.0')
    assert nodes == {'r0 aiv0.0 S': ('end', 'has ended'),
                     'r0 aiv0.0 V': ('wait_flag', 'waits for a flag')}, nodes
    assert edges == {('r0 aiv0.0 V', 'r0 aiv0.0 MTE2', '(MTE2, V, 0)')}, edges


def test_s_waits_for_a_flag(b):
    nodes, edges = inline(b, '1:1', 'wait_flag MTE3, S, 1')
    assert nodes == {'r0 aiv0.0 S': ('wait_flag', 'waits for a flag')}, nodes
    assert edges == {('r0 aiv0.0 S', 'r0 aiv0.0 MTE3', '(MTE3, S, 1)')}, edges


def test_sub_cores_wait_for_each_other_at_two_sync_alls(b):
    nodes, edges = inline(b, '1:2', '.if vec_id() == 0', 'sync_all aiv', '.else', 'sync_all all',
                          '.endif')
    assert edges == {('r0 aiv0.0 S', 'r0 aiv0.1 S', 'sync_all'),
                     ('r0 aiv0.1 S', 'r0 aiv0.0 S', 'sync_all')}, edges
    assert set(nodes.values()) == {('sync_all', 'waits for the others')}, nodes


def test_s_waits_for_what_a_dead_rank_does_not_acknowledge(b):
    with open(b.path('k.pto'), 'w') as file:
        file.write(HEAD.replace('.gm box : i32', '.sym box : f32') % '1:1' + '    .if rank() == 0\n'
                   '        TEXPANDS t, 1.0\n        handoff V -> MTE3, 0\n'
                   '        TSTORE box@1, t\n        pipe_barrier ALL\n        dsb\n    .endif\n')
    nodes, edges = graph(b, '--ranks', '2', '--dead-rank', '1@1ns', 'k.pto')
    where, why = nodes['r0 aiv0.0 S']
    assert where.startswith('dsb at ') and why == 'waits for acknowledgements', nodes
    assert not edges, edges


def test_s_waits_for_room(b):
    nodes, edges = inline(b, '1:1', 'wait_flag MTE2, V, 0', '.for %i = 0 to 9',
                          'TEXPANDS t, 1.0', '.endfor', 'set_flag MTE2, V, 0')
    assert nodes['r0 aiv0.0 S'] == ('TEXPANDS', 'waits for room in a queue'), nodes
    assert edges == {('r0 aiv0.0 S', 'r0 aiv0.0 V', 'queue is full'),
                     ('r0 aiv0.0 V', 'r0 aiv0.0 MTE2', '(MTE2, V, 0)')}, edges


def test_s_waits_for_empty_pipes(b):
    nodes, edges = inline(b, '1:1', 'wait_flag MTE2, V, 0', 'pipe_barrier ALL')
    assert nodes['r0 aiv0.0 S'] == ('pipe_barrier', 'waits until the pipes are empty'), nodes
    assert edges == {('r0 aiv0.0 S', 'r0 aiv0.0 V', 'empty'),
                     ('r0 aiv0.0 V', 'r0 aiv0.0 MTE2', '(MTE2, V, 0)')}, edges


def test_s_waits_for_signals(b):
    nodes, edges = inline(b, '1:1', 'TWAIT go[1], ge, 1')
    assert nodes == {'r0 aiv0.0 S': ('TWAIT', 'waits for a signal')}, nodes
    assert edges == {('r0 aiv0.0 S', 'go of rank 0', '')}, edges
    nodes, edges = graph(b, pto.source('tests', 'dbg', 'wait.pto') + ':any')
    assert [why for _, why in nodes.values()] == ['waits for one of several signals'], nodes
    assert edges == {('r0 aiv0.0 S', 'come of rank 0', ''),
                     ('r0 aiv0.0 S', 'done of rank 0', '')}, edges


def test_s_waits_for_a_cross_core_flag(b):
    nodes, edges = inline(b, '1:2', '.if sub_id() == 1', 'wait_flag_dev 5', '.endif')
    assert nodes == {'r0 aiv0.1 S': ('wait_flag_dev', 'waits for a cross-core flag')}, nodes
    assert edges == {('r0 aiv0.1 S', 'cross-core flag 5 of rank 0', '')}, edges


def test_the_report_has_the_same_parties(b):
    with open(b.path('k.pto'), 'w') as file:
        file.write('.kernel k\n.mix 1:1\n.core aic\n    wait_flag_dev 3\n.core aiv\n    end\n')
    nodes, _ = graph(b, 'k.pto')
    assert list(nodes) == ['r0 aic0 S'], nodes
    out, _ = b.run('--json', '--cores', '1', 'run', 'k.pto', expect=DEADLOCK)
    assert [(w['core'], w['pipe'], w['state']) for w in json.loads(out)['waits']] == [
        ('aic0', 'S', 'waits'), ('aiv0.0', 'S', 'ended')], out


def test_s_waits_for_others(b):
    nodes, edges = inline(b, '1:2', '.if sub_id() == 0', 'TWAIT go[0], ge, 1', '.endif',
                          'sync_all aiv')
    assert nodes == {'r0 aiv0.0 S': ('TWAIT', 'waits for a signal'),
                     'r0 aiv0.1 S': ('sync_all', 'waits for the others')}, nodes
    assert edges == {('r0 aiv0.1 S', 'r0 aiv0.0 S', 'sync_all'),
                     ('r0 aiv0.0 S', 'go of rank 0', '')}, edges


def test_not_more_than_can_be_read(b):
    """64 sub-cores; each draws a party and what it waits for."""
    with open(b.path('k.pto'), 'w') as file:
        file.write(HEAD % '1:2' + '    TWAIT go[0], ge, 1\n')
    b.run('run', '--ranks', '3', '--wait-graph', 'waits', 'k.pto', expect=DEADLOCK)
    with open(b.path('waits')) as file:
        text = file.read()
    assert text.count('waits for a signal') == 64, text.count('waits for a signal')
    assert '"r1 aiv7.1 S"' in text and '"r1 aiv8.0 S"' not in text, text


main(globals())
