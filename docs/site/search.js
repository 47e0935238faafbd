// Finds the pages on which all typed words stand; those with a word in their title come first.
'use strict';
const MOST = 20;

function score(page, words) {
    const title = page[1].toLowerCase(), text = page[2].toLowerCase();

    if (!words.every((word) => text.includes(word)))
        return 0;
    return words.reduce((sum, word) => sum + (title.includes(word) ? 1000 : 0) +
                        Math.min(100, text.split(word).length), 1);
}

// The text around the first of the words, as [before, word, behind].
function surroundings(text, words) {
    const at = text.toLowerCase().indexOf(words[0]), from = Math.max(0, at - 40);

    return [(from ? '…' : '') + text.slice(from, at), text.slice(at, at + words[0].length),
            text.slice(at + words[0].length, at + words[0].length + 80) + '…'];
}

function entry(page, words, top) {
    const item = document.createElement('li'), link = document.createElement('a');
    const [before, word, behind] = surroundings(page[2], words);
    const mark = document.createElement('mark'), line = document.createElement('p');

    link.href = top + '/' + page[0];
    link.textContent = page[1];
    mark.textContent = word;
    line.append(before, mark, behind);
    item.append(link, line);
    return item;
}

function search() {
    const words = document.getElementById('search').value.toLowerCase().split(/\s+/)
        .filter(Boolean);
    const found = document.getElementById('found'), top = document.body.dataset.top;
    const pages = !words.length ? [] : INDEX.map((page) => [score(page, words), page])
        .filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]).slice(0, MOST);

    found.replaceChildren(...pages.map(([, page]) => entry(page, words, top)));
    if (words.length && !pages.length)
        found.append('Nothing has all of these words.');
    document.getElementById('chapters').hidden = words.length > 0;
}

document.getElementById('search').addEventListener('input', search);
document.getElementById('search').value = new URLSearchParams(location.search).get('q') || '';
search();
document.body.dataset.ready = 'yes';
