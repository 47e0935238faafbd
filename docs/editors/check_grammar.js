// Holds the grammar against vscode-textmate, the engine that editors use:
//     npm install vscode-textmate vscode-oniguruma
//     node docs/editors/check_grammar.js build/editors/vscode kernels/basic/vadd.pto ...
// Every directive and every word in capitals at the beginning of a line has to be known.  The tests
// of the build hold the same patterns against all kernels without it.
'use strict';
const fs = require('fs');
const path = require('path');
const from = { paths: [process.cwd(), __dirname] };
const oniguruma = require(require.resolve('vscode-oniguruma', from));
const textmate = require(require.resolve('vscode-textmate', from));

async function load(folder) {
    const file = path.join(folder, 'syntaxes', 'pto.tmLanguage.json');
    const wasm = require.resolve('vscode-oniguruma/release/onig.wasm', from);

    await oniguruma.loadWASM(fs.readFileSync(wasm).buffer);
    return new textmate.Registry({
        onigLib: Promise.resolve({
            createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
            createOnigString: (text) => new oniguruma.OnigString(text)
        }),
        loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(file, 'utf8'), file)
    }).loadGrammar('source.pto');
}

function wrong(grammar, file) {
    let stack = textmate.INITIAL, count = 0;

    fs.readFileSync(file, 'utf8').split('\n').forEach((line, i) => {
        const result = grammar.tokenizeLine(line, stack);
        const first = line.match(/^\s*(\.\w+|T[A-Z0-9_]+\b)/);
        const at = first && line.indexOf(first[1]);
        const token = first && result.tokens.find((t) => t.startIndex <= at && at < t.endIndex);
        const scope = !first ? '' : first[1][0] === '.' ? 'keyword.control.directive.pto'
            : 'keyword.operator.instruction.pto';

        stack = result.ruleStack;
        if (scope && !token.scopes.includes(scope)) {
            console.log(`${file}:${i + 1}: ${first[1]} is ${token.scopes.join(' ')}`);
            count++;
        }
    });
    return count;
}

async function main() {
    const [folder, ...files] = process.argv.slice(2);
    const grammar = await load(folder);
    const count = files.reduce((sum, file) => sum + wrong(grammar, file), 0);

    console.log(`${files.length} files, ${count} wrong`);
    process.exit(count ? 1 : 0);
}

main();
