"""A strict reader of timelines: what viewers would leave out or draw wrong is an error.

It goes through the events as Perfetto's importer does: in the order of time, and for equal times in
that of the file; slices of a thread are a stack, and a slice that overlaps another in part has no
place on it; an end of an arrow belongs to the slice that is on top."""
import collections
import gzip
import json

NS = 1000  # of the microseconds of a file
PHASES = {'X', 'B', 'E', 's', 'f', 'C', 'i', 'M'}


class Timeline:
    def __init__(self, path):
        opener = gzip.open if path.endswith('.gz') else open
        with opener(path, 'rt') as file:
            self.text = file.read()
        self.events = json.loads(self.text)
        if isinstance(self.events, dict):
            self.header = self.events
            self.events = self.events['traceEvents']
        self.names = {}  # of threads: (pid, tid) -> "aiv0.0 MTE2"
        self.arrows = []  # (slice, slice) in the order of their ends
        self.counters = collections.defaultdict(list)
        self.summary = None
        self.check()

    def of(self, **wanted):
        """The events with these members; `thread` is the thread's name."""
        found = self.events
        thread = wanted.pop('thread', None)
        for key, value in wanted.items():
            found = [e for e in found if e.get(key) == value]
        return [e for e in found if thread in (None, self.thread(e))]

    def thread(self, event):
        return self.names.get((event.get('pid'), event.get('tid')), event.get('tid'))

    def check(self):
        assert self.text.count('\n{"ph"') == len(self.events), 'one event a line'
        for event in self.events:
            assert event['ph'] in PHASES, event
            if event['ph'] == 'M':
                self.metadata(event)
        assert self.summary is self.events[-1], 'the summary comes last'
        stacks = collections.defaultdict(list)
        starts = {}
        timed = [e for e in self.events if e['ph'] != 'M']
        for event in timed:
            event['ns'] = exact(event['ts'])
        for event in sorted(timed, key=lambda e: e['ns']):
            self.step(event, stacks, starts)
        assert not starts, 'arrows without an end: %s' % list(starts)[:3]
        for stack in stacks.values():
            assert all(e['ph'] == 'X' for e in stack), 'regions without an end'
        recorded = self.summary['args']['events']
        assert recorded == len([e for e in timed]), (recorded, len(timed))

    def metadata(self, event):
        if event['name'] == 'thread_name':
            key = event['pid'], event['tid']
            assert key not in self.names, event
            self.names[key] = event['args']['name']
        if event['name'] == 'ptovm':
            self.summary = event

    def step(self, event, stacks, starts):
        phase, at = event['ph'], event['ns']
        stack = stacks[event['pid'], event.get('tid')]
        if phase == 'C':
            assert 'tid' not in event and event['args'], event
            for value in event['args'].values():
                assert isinstance(value, (int, float)) and value >= 0, event
            self.counters[event['pid'], event['name']].append((at, event['args']))
        elif phase == 'i':
            assert event['s'] == 't', event
        elif phase == 'X':
            length = exact(event['dur'])
            args = event.get('args')
            if args:
                assert args['start_ps'] // 1000 == at, event
                assert args.get('end_ps', args['start_ps']) >= args['start_ps'], event
            close(stack, at, length)
            if stack and stack[-1]['ph'] == 'X':
                assert at + length <= stack[-1]['end'], (event, stack[-1])
            event['end'] = at + length
            stack.append(event)
        elif phase == 'B':
            close(stack, at, 1)
            stack.append(event)
        elif phase == 'E':
            close(stack, at, 1)
            while stack and stack[-1]['ph'] == 'X':
                assert stack[-1]['end'] <= at, (event, stack[-1])
                stack.pop()
            begin = stack.pop()
            begin['end'] = at
        else:
            self.arrow(event, stack, starts)

    def arrow(self, event, stack, starts):
        assert stack, event
        top, key = stack[-1], (event['cat'], event['id'])
        assert top['ns'] <= event['ns'] <= top.get('end', event['ns']), (event, top)
        if event['ph'] == 's':
            assert key not in starts, event
            starts[key] = top
        else:
            assert event['bp'] == 'e', event
            self.arrows.append((starts.pop(key), top))


def exact(microseconds):
    nanoseconds = round(microseconds * NS)
    assert abs(microseconds * NS - nanoseconds) < 1e-4 and nanoseconds >= 0, microseconds
    return nanoseconds


def close(stack, at, length):
    """What is over leaves the stack; instants of one time stay on each other."""
    while stack and stack[-1]['ph'] == 'X':
        top = stack[-1]
        both_instants = length == 0 and top['end'] == top['ns']
        if top['end'] < at or (top['end'] == at and not both_instants):
            stack.pop()
        else:
            return
