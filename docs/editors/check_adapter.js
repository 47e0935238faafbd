// Holds `ptodbg --dap` against the client that debug adapters are tested with:
//     npm install @vscode/debugadapter-testsupport
//     node docs/editors/check_adapter.js build/bin/ptodbg kernels/basic/vadd.pto
// The kernel is vadd.pto or one that takes the same inputs.  The tests of the build speak the same
// protocol without it (tests/dbg/dap_test.py).
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const from = { paths: [process.cwd(), __dirname] };
const { DebugClient } = require(require.resolve('@vscode/debugadapter-testsupport', from));

const [program, kernel] = process.argv.slice(2).map((name) => path.resolve(name));
const launch = {
    program: kernel, cores: 1, stopOnEntry: true,
    args: ['--set', 'n=20000', '--in', 'a=iota', '--in', 'b=ones']
};
const lineOf = (text) =>
    fs.readFileSync(kernel, 'utf8').split('\n').findIndex((line) => line.includes(text)) + 1;

async function top(client, threadId) {
    return (await client.stackTraceRequest({ threadId })).body.stackFrames[0];
}

async function value(client, frameId, expression) {
    return (await client.evaluateRequest({ expression, frameId, context: 'watch' })).body.result;
}

const checks = {
    async 'a breakpoint is met at its line, with its registers'(client) {
        const line = lineOf('TADD ');
        await client.hitBreakpoint({ ...launch, stopOnEntry: false }, { path: kernel, line });
        const threads = (await client.threadsRequest()).body.threads;
        const frame = await top(client, threads[0].id);
        assert.strictEqual(frame.line, line);
        assert.match(await value(client, frame.id, '%len'), /^8192/);
    },

    async 'steps go on and back to the same place'(client) {
        await Promise.all([client.configurationSequence(), client.launch(launch),
            client.waitForEvent('stopped')]);
        const threadId = (await client.threadsRequest()).body.threads[0].id;
        const first = await top(client, threadId);
        await Promise.all([client.nextRequest({ threadId }), client.waitForEvent('stopped')]);
        const second = await top(client, threadId);
        assert.notStrictEqual(second.line, first.line);
        await Promise.all([client.stepBackRequest({ threadId }), client.waitForEvent('stopped')]);
        assert.strictEqual((await top(client, threadId)).line, first.line);
    },

    async 'scopes have variables'(client) {
        await Promise.all([client.configurationSequence(), client.launch(launch),
            client.waitForEvent('stopped')]);
        const threadId = (await client.threadsRequest()).body.threads[0].id;
        const frameId = (await top(client, threadId)).id;
        const scopes = (await client.scopesRequest({ frameId })).body.scopes;
        assert(scopes.length > 1);
        for (const { variablesReference } of scopes)
            await client.variablesRequest({ variablesReference });
    },

    async 'a run comes to its end'(client) {
        await Promise.all([client.configurationSequence(),
            client.launch({ ...launch, stopOnEntry: false }), client.waitForEvent('terminated')]);
    },

    async 'a file that is not there is an answer, not an end'(client) {
        await client.initializeRequest();
        await assert.rejects(client.launchRequest({ ...launch, program: '/nowhere.pto' }),
            /nowhere/);
    }
};

async function main() {
    let failed = 0;

    for (const [name, check] of Object.entries(checks)) {
        const client = new DebugClient(program, '--dap', 'pto', { shell: false });
        client.defaultTimeout = 20000;
        try {
            await client.start();
            await check(client);
            console.log(`ok   ${name}`);
        } catch (error) {
            failed++;
            console.log(`FAIL ${name}: ${error.message}`);
        }
        await client.stop();
    }
    process.exit(failed ? 1 : 0);
}

main();
