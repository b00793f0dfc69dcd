import { describe, expect, it } from 'vitest';
import { readFile } from './support.ts';

const sentence = 'The scanner reads its input one character after another and keeps the longest match.';
const page = (body: string) => `<!doctype html><html><head><title>A manual</title></head><body>${body}</body></html>`;
const textOf = async (body: string): Promise<string> => (await readFile('a.html', page(body))).text;

const texinfo = (hrefs: readonly string[]) =>
  `<div class="header"><p>Next: <a href="${hrefs[0]}" accesskey="n" rel="next">Why is that so?</a>, ` +
  `Previous: <a href="${hrefs[1]}" accesskey="p" rel="prev">What is it?</a>, Up: <a href="${hrefs[2]}" accesskey="u" rel="up">FAQ</a> ` +
  '&nbsp; [<a href="index.html#toc">Contents</a>][<a href="i.html" rel="index">Index</a>]</p></div><hr>';

describe('links between the pages of a work are left out', () => {
  it.each([
    ['of Texinfo, on a page with little text', texinfo(['c.html', 'a.html', 'index.html'])],
    ['of Texinfo, in a manual on one page', texinfo(['#c', '#a', '#FAQ'])],
    [
      'of DocBook, with the titles of the pages',
      '<div class="navheader"><table><tr><th colspan="3">reading</th></tr><tr><td><a href="a.html">Prev</a></td>' +
        '<th>Part II. Server Applications</th><td><a href="c.html">Next</a></td></tr></table></div>',
    ],
    [
      'in a list',
      '<ul><li><a href="a.html">Previous Chapter</a></li><li><a href="c.html">Next Chapter</a></li>' +
        '<li><a href="index.html">Table of contents</a></li></ul>',
    ],
    [
      'in brackets',
      '<div class="links">&nbsp;<a href="0.html">[Top of Book]</a>&nbsp; <a href="0.html#c">[Contents]</a>&nbsp; ' +
        '<a href="6.html">[Previous Chapter]</a>&nbsp; <a href="8.html">[Next Chapter]</a></div>',
    ],
    [
      'to the letters of an index',
      `<p>Jump to: ${'ABCDEFGHIK'.replaceAll(/./g, '<a href="#i_$&">$&</a> &nbsp; ').trim()}</p>`.replace(
        'Jump to: ',
        '',
      ),
    ],
  ])('%s', async (_, links) => {
    expect(await textOf(`${links}<h3>Reading</h3><p>${sentence}</p>${links}`)).toBe(`Reading\n\n${sentence}`);
  });

  it('and so are the tables of contents of long pages, whose words are those of the headings', async () => {
    const sections = ['1 Start', '2 Patterns', '3 Rules', '4 Limits'];
    const contents = sections.map((name, at) => `<li><a href="#s${at}">${name}</a></li>`).join('');
    const body = sections.map((name, at) => `<h2 id="s${at}">${name}</h2><p>${sentence}</p>`).join('');
    const text = await textOf(`<h1>A manual</h1><ul>${contents}</ul>${body}`);
    expect(text).not.toContain('- 1 Start');
    for (const name of sections) expect(text.split(name)).toHaveLength(2);
  });
});

describe('links that say something are kept', () => {
  it.each([
    [
      'in a sentence',
      'Next: install <a href="a.html">the compiler</a>, then go back to <a href="b.html">the start</a> of it.',
    ],
    ['with one direction only', 'Next: <a href="a.html">the harbour of Nordvik</a>'],
  ])('%s', async (_, html) => {
    const text = await textOf(`<h1>Reading</h1><p>${sentence}</p><p>${html}</p><p>${sentence}</p>`);
    expect(text).toContain(html.replaceAll(/<[^>]*>/g, ''));
  });

  it('when a page consists of nothing else', async () => {
    const text = await textOf('<p><a href="a.html">Previous</a> <a href="b.html">Next</a></p>');
    expect(text).toContain('Next');
  });

  it('when they lead to places whose words are not those of headings', async () => {
    const questions = ['Why does it match?', 'What is a rule?', 'How are errors shown?', 'Where does it end?'];
    const list = questions.map((question, at) => `<li><a href="#q${at}">${question}</a></li>`).join('');
    const text = await textOf(`<h1>Answers</h1><p>${sentence}</p><ul>${list}</ul><h2>Rules</h2><p>${sentence}</p>`);
    for (const question of questions) expect(text).toContain(question);
  });

  it('in a list that is most of the page, although it is its end', async () => {
    const list = Array.from(
      { length: 300 },
      (_, at) => `<li><a href="https://a.example/${at}">Pier ${at} of it</a></li>`,
    );
    const text = await textOf(`<h1>Piers</h1><p>${sentence.repeat(6)}</p><ul>${list.join('')}</ul>`);
    expect(text).toContain('- Pier 299 of it');
  });
});

describe('a page of links with little prose', () => {
  it('keeps its lists, not only the sentence beside them', async () => {
    const list = (letter: string) =>
      Array.from(
        { length: 20 },
        (_, at) => `<li><a href="${letter}.html#${at}">${letter}word ${at} (a module)</a></li>`,
      );
    const lists = ['k', 'm', 'p'].map((letter) => `<table><tr><td><ul>${list(letter).join('')}</ul></td></tr></table>`);
    const text = await textOf(`<div><div><h1>Index</h1>${lists.join('')}</div></div><div><p>${sentence}</p></div>`);
    expect(text).toContain('pword 19');
  });
});
