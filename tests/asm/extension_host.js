// The extension in a small host: activate() and deactivate() of the real extension.js, with real
// processes of ptoas --lsp, ptodbg --dap and ptovm.  What an editor gives is played here: settings,
// registration of task and debugger, and a language client that starts what it is told.
//     node extension_host.js EXTENSION BIN KERNEL
// prints what happened as JSON.
'use strict';
const child_process = require('child_process');
const Module = require('module');
const path = require('path');

const [folder, bin, kernel] = process.argv.slice(2);
const seen = { errors: [], disposed: 0 };
const settings = { bin, profile: 'a5', includePaths: [], defines: { CHUNK: '64' } };
const registered = {};

// ---- messages framed as both protocols do ----

class Peer {
    constructor(command, args) {
        this.waiting = [];
        this.rest = Buffer.alloc(0);
        this.process = child_process.spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
        this.started = new Promise((done, failed) => {
            this.process.on('spawn', done);
            this.process.on('error', failed);
        });
        this.ended = new Promise((done) => this.process.on('exit', done));
        this.process.stdout.on('data', (data) => this.take(data));
    }
    take(data) {
        this.rest = Buffer.concat([this.rest, data]);
        for (;;) {
            const head = this.rest.indexOf('\r\n\r\n');
            const length = Number(/Content-Length: (\d+)/.exec(this.rest.toString())?.[1]);

            if (head < 0 || this.rest.length < head + 4 + length)
                return;
            const message = JSON.parse(this.rest.subarray(head + 4, head + 4 + length));
            this.rest = this.rest.subarray(head + 4 + length);
            this.waiting = this.waiting.filter(([wanted, done]) => !wanted(message) || done(message));
        }
    }
    send(message) {
        const text = JSON.stringify(message);
        this.process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    }
    next(wanted) {
        return new Promise((done) => this.waiting.push([wanted, (m) => { done(m); return false; }]));
    }
    ask(message, wanted) {
        const answer = this.next(wanted);
        this.send(message);
        return answer;
    }
}

// ---- what the extension requires ----

class LanguageClient {
    constructor(id, name, server, options) {
        Object.assign(this, { server, options });
        seen.selector = options.documentSelector;
        registered.client = this;
    }
    async start() {
        this.peer = new Peer(this.server.command, this.server.args);
        await this.peer.started;
        const answer = await this.peer.ask({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {
            capabilities: {}, initializationOptions: this.options.initializationOptions } },
        (m) => m.id === 1);
        seen.server = answer.result.serverInfo.name;
    }
    async stop() {
        await this.peer.ask({ jsonrpc: '2.0', id: 2, method: 'shutdown' }, (m) => m.id === 2);
        this.peer.send({ jsonrpc: '2.0', method: 'exit' });
        seen.serverExit = await this.peer.ended;
    }
}

const disposable = { dispose: () => seen.disposed++ };
const vscode = {
    workspace: { getConfiguration: (name) => ({ get: (key) => name === 'pto' ? settings[key] : null }) },
    window: { showErrorMessage: (text) => seen.errors.push(text) },
    debug: { registerDebugAdapterDescriptorFactory: (type, factory) => {
        registered.debug = { type, factory };
        return disposable;
    } },
    tasks: { registerTaskProvider: (type, provider) => {
        registered.task = { type, provider };
        return disposable;
    } },
    TaskScope: { Workspace: 2 },
    Task: class { constructor(definition, scope, name, source, execution, matcher) {
        Object.assign(this, { definition, scope, name, source, execution, matcher });
    } },
    ProcessExecution: class { constructor(process, args) { Object.assign(this, { process, args }); } },
    DebugAdapterExecutable: class { constructor(command, args) { Object.assign(this, { command, args }); } }
};

const load = Module._load;
Module._load = function (name, ...rest) {
    return name === 'vscode' ? vscode
        : name === 'vscode-languageclient/node' ? { LanguageClient } : load.call(this, name, ...rest);
};

// ---- what an editor does ----

async function edit(peer) {
    const uri = 'untitled:new.pto';
    const text = '.kernel k\n.core aiv\n.tile t : ub f32[1, 64]\n    TAD t, t, t\n';
    const published = (m) => m.method === 'textDocument/publishDiagnostics';
    let found = peer.next(published);

    peer.send({ jsonrpc: '2.0', method: 'textDocument/didOpen', params: {
        textDocument: { uri, languageId: 'pto', version: 1, text } } });
    seen.diagnostics = (await found).params.diagnostics.map((d) => d.message);
    found = peer.next(published);
    peer.send({ jsonrpc: '2.0', method: 'textDocument/didChange', params: {
        textDocument: { uri, version: 2 }, contentChanges: [{ text: 'TADD', range: {
            start: { line: 3, character: 4 }, end: { line: 3, character: 7 } } }] } });
    seen.afterwards = (await found).params.diagnostics.filter((d) => d.severity === 1).length;
}

async function debug() {
    const { command, args } = registered.debug.factory.createDebugAdapterDescriptor();
    const peer = new Peer(command, args);
    const answer = await peer.ask({ seq: 1, type: 'request', command: 'initialize',
        arguments: { adapterID: 'pto' } }, (m) => m.type === 'response');

    seen.stepsBack = answer.body.supportsStepBack;
    peer.process.stdin.end();
    await peer.ended;
}

// A task as in tasks.json, and what the problem matcher of package.json finds in its output.
function task() {
    const { problemMatchers } = require(path.join(folder, 'package.json')).contributes;
    const made = registered.task.provider.resolveTask({ definition: {
        type: 'ptovm', command: 'check', file: kernel,
        args: ['--cores', '1', '--set', 'n=100', '--in', 'a=ones', '--in', 'b=ones'] } });
    const done = child_process.spawnSync(made.execution.process, made.execution.args,
        { encoding: 'utf8' });
    const { regexp, file, line, severity } = problemMatchers[0].pattern;

    seen.matcher = made.matcher === '$' + problemMatchers[0].name;
    seen.status = done.status;
    seen.problems = done.stderr.split('\n').map((text) => new RegExp(regexp).exec(text))
        .filter(Boolean).map((m) => [path.basename(m[file]), Number(m[line]), m[severity]]);
}

async function main() {
    const context = { subscriptions: [] };
    const extension = require(path.join(folder, 'extension.js'));

    await extension.activate(context);
    seen.registered = [registered.debug.type, registered.task.type];
    if (!seen.errors.length) {
        await edit(registered.client.peer);
        await debug();
        task();
        await extension.deactivate();
    }
    context.subscriptions.forEach((one) => one.dispose());
    console.log(JSON.stringify(seen));
}

main();
