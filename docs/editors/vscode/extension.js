'use strict';
const path = require('path');
const vscode = require('vscode');

let client;

function settings() {
    return vscode.workspace.getConfiguration('pto');
}

function program(name) {
    return path.join(settings().get('bin') || '', name);
}

async function startServer() {
    const { LanguageClient } = require('vscode-languageclient/node');

    client = new LanguageClient('pto', 'PTO', { command: program('ptoas'), args: ['--lsp'] }, {
        documentSelector: [{ language: 'pto' }],
        initializationOptions: {
            profile: settings().get('profile') || undefined,
            includePaths: settings().get('includePaths'),
            defines: settings().get('defines')
        }
    });
    await client.start();
}

function taskOf(definition, scope) {
    const words = [definition.command, definition.file, ...(definition.args || [])];

    return new vscode.Task(definition, scope || vscode.TaskScope.Workspace, words.join(' '),
        'ptovm', new vscode.ProcessExecution(program('ptovm'), words), '$pto');
}

exports.activate = async function (context) {
    context.subscriptions.push(
        vscode.debug.registerDebugAdapterDescriptorFactory('pto', {
            createDebugAdapterDescriptor: () =>
                new vscode.DebugAdapterExecutable(program('ptodbg'), ['--dap'])
        }),
        vscode.tasks.registerTaskProvider('ptovm', {
            provideTasks: () => [],
            resolveTask: (task) => taskOf(task.definition, task.scope)
        }));
    try {
        await startServer();
    } catch (error) {
        vscode.window.showErrorMessage(`ptoas --lsp did not start: ${error.message}`);
    }
};

exports.deactivate = function () {
    return client ? client.stop() : undefined;
};
