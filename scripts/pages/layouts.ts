import type { Words } from './words/words.ts';

/** A page with its expected main text; title, author and date are checked separately. */
export interface MadePage {
  readonly html: string;
  readonly gold: readonly string[];
}

export interface Draw {
  /** Draws this many different sentences, starting at a random position. */
  sentences(count: number): readonly string[];
  paragraph(): string;
  pick<T>(items: readonly T[]): T;
  some<T>(items: readonly T[], count: number): readonly T[];
  number(min: number, max: number): number;
}

export type Layout = (words: Words, draw: Draw) => MadePage;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const slug = (text: string): string =>
  `/${encodeURIComponent(text.toLowerCase().replaceAll(/\s+/g, '-')).slice(0, 60)}`;
const link = (text: string): string => `<a href="${slug(text)}">${escaped(text)}</a>`;
const list = (items: readonly string[], attributes = ''): string =>
  `<ul${attributes}>${items.map((item) => `<li>${item}</li>`).join('\n')}</ul>`;

function shell(words: Words, title: string, { head = '', body }: { head?: string; body: string }): string {
  return `<!DOCTYPE html>
<html lang="${words.code}" dir="${words.direction}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)} | ${escaped(words.sections[0] ?? '')} 24</title>
<meta property="og:title" content="${escaped(title).replaceAll('"', '&quot;')}">
<meta name="author" content="${escaped(words.author)}">
<link rel="stylesheet" href="/assets/main.4f2a.css"><script>window.dataLayer=window.dataLayer||[];</script>
${head}</head>
<body>${body}
<script src="/assets/app.js" defer></script></body></html>
`;
}

const lazyImage = (alt: string): string =>
  `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/img/${alt.length}.jpg" class="lazyload" alt="${escaped(alt)}"><noscript><img src="/img/${alt.length}.jpg" alt=""></noscript>`;

const cookieWall = (words: Words): string =>
  `<div id="cmp-wrapper" class="c-overlay" style="position:fixed"><div class="c-box"><p>${words.cookies}</p><button>${words.accept}</button> <a href="/privacy">…</a></div></div>`;

/** A bar of share links. */
const shareBar = (words: Words): string =>
  `<div class="article-share"><span>${words.share}</span>${list(['<a href="https://f.example/s">Facebook</a>', '<a href="https://x.example/s">X</a>', '<a href="mailto:?">E-Mail</a>'])}</div>`;

const paragraphs = (draw: Draw, count: number): string[] => Array.from({ length: count }, () => draw.paragraph());

/** A magazine with semantic HTML elements. */
const magazine: Layout = (words, draw) => {
  const title = draw.pick(words.titles);
  const [lead = '', ...rest] = paragraphs(draw, draw.number(5, 8));
  const [first = '', second = ''] = draw.some(words.headings, 2);
  const middle = Math.ceil(rest.length / 2);
  const points = draw.sentences(3);
  const body = `
<a class="skip-link" href="#content">Skip to main content</a>${cookieWall(words)}
<header class="site-header"><a href="/">24</a><nav>${list(words.sections.map(link))}</nav><form role="search"><input name="q"><button>OK</button></form></header>
<main id="content"><article>
<header><h1>${escaped(title)}</h1><p class="byline">${words.author} · <time datetime="2026-03-14">${words.date}</time> · 6 min read</p></header>
<figure>${lazyImage(title)}</figure>
${shareBar(words)}
<p class="lead">${lead}</p>
${rest
  .slice(0, middle)
  .map((text) => `<p>${text}</p>`)
  .join('\n')}
<div class="ad-slot" data-slot="mid"><span>${words.advertisement}</span></div>
<h2>${first}</h2>
<p>${rest[middle] ?? ''}</p>${list(points)}
<aside class="related-box"><h3>${words.related}</h3>${list(draw.some(words.others, 4).map(link))}</aside>
<h2>${second}</h2>
${rest
  .slice(middle + 1)
  .map((text) => `<p>${text}</p>`)
  .join('\n')}
<div class="newsletter-signup"><p>${words.newsletter}</p><input type="email"><button>OK</button></div>
<div class="tags">${list(words.sections.slice(2, 5).map(link))}</div>
</article>
<section class="comments" id="comments"><h2>${words.comments} (${words.remarks.length})</h2>${words.remarks.map((text) => `<div class="comment"><b>anon</b><p>${text}</p></div>`).join('')}</section>
</main>
<aside class="sidebar"><h4>Top</h4>${list(words.others.map(link))}</aside>
<footer><p>${words.rights}</p>${list(words.sections.map(link))}</footer>`;
  const gold = [
    lead,
    ...rest.slice(0, middle),
    first,
    rest[middle] ?? '',
    ...points,
    second,
    ...rest.slice(middle + 1),
  ];
  return { html: shell(words, title, { body }), gold };
};

/** A news site made of divs with meaningless class names, and boxes between the paragraphs. */
const divSoup: Layout = (words, draw) => {
  const title = draw.pick(words.titles);
  const texts = paragraphs(draw, draw.number(6, 9));
  const heading = draw.pick(words.headings);
  const others = draw.some(words.others, 5);
  const cards = words.others
    .map(
      (other) =>
        `<div class="css-k2p"><a href="${slug(other)}"><div class="css-im">${lazyImage(other)}</div><div class="css-tt">${other}</div></a></div>`,
    )
    .join('');
  const body = `<div id="__layout"><div class="css-1q"><div class="css-9a">${words.sections.map((name) => `<div class="css-l">${link(name)}</div>`).join('')}</div></div>
<div class="css-77x"><div class="css-3f1"><div class="css-h">${escaped(title)}</div><div class="css-aut">${words.author}</div><div class="css-dat">${words.date}</div>
<div class="css-bd">${texts
    .map((text, index) => {
      const extra =
        index === 1
          ? `<div class="css-rel"><span>${words.readAlso}: </span>${link(others[0] ?? '')}</div>`
          : index === 3
            ? `<div class="css-ad"><div>${words.advertisement}</div><div id="gpt-${index}"></div></div><h2 class="css-h2">${heading}</h2>`
            : '';
      return `<div class="css-p"><span>${text}</span></div>${extra}`;
    })
    .join('\n')}</div></div>
<div class="css-r1"><div class="css-rt">${words.related}</div>${cards}</div></div>
<div class="css-ft"><div>${words.rights}</div><div>${words.sections.map(link).join(' · ')}</div></div></div>${cookieWall(words)}`;
  return { html: shell(words, title, { body }), gold: [...texts.slice(0, 4), heading, ...texts.slice(4)] };
};

/** A page laid out with nested tables. */
const nestedTables: Layout = (words, draw) => {
  const title = draw.pick(words.titles);
  const texts = paragraphs(draw, draw.number(4, 7));
  const menu = words.sections
    .map((name) => `<tr><td bgcolor="#ccddee"><font size="2">${link(name)}</font></td></tr>`)
    .join('\n');
  const body = `<center><table width="780" border="0" cellpadding="0"><tr><td colspan="3" bgcolor="#003366"><font color="white" size="5">24</font></td></tr>
<tr><td width="140" valign="top"><table width="100%">${menu}</table></td>
<td valign="top"><table width="100%" cellpadding="8"><tr><td><font face="Times" size="4"><b>${escaped(title)}</b></font><br><font size="1">${words.author}, ${words.date}</font></td></tr>
<tr><td><font face="Times">${texts.join('<br><br>\n')}</font></td></tr></table></td>
<td width="160" valign="top"><table><tr><td><b>${words.related}</b></td></tr>${draw
    .some(words.others, 5)
    .map((other) => `<tr><td>&raquo; ${link(other)}</td></tr>`)
    .join('')}</table></td></tr>
<tr><td colspan="3" align="center"><font size="1">${words.rights}<br>${words.sections.map(link).join(' | ')}</font></td></tr></table></center>`;
  return { html: shell(words, title, { body }), gold: texts };
};

/** A forum thread with user details beside every post. */
const forum: Layout = (words, draw) => {
  const title = draw.pick(words.titles);
  const posts = [draw.paragraph(), ...words.remarks, draw.paragraph()];
  const post = (
    text: string,
    index: number,
  ) => `<div class="post" id="p${index}"><div class="user-card"><a href="/u/${index}">user${index}</a><span>${words.sections[1]} · ${100 + index * 7}</span></div>
<div class="post-date">${words.date}</div><div class="post-body">${index === 2 ? `<blockquote><p>${posts[1]}</p></blockquote>` : ''}<p>${text}</p></div>
<div class="signature">— ${link(words.others[index % words.others.length] ?? '')}</div><div class="post-actions"><a href="#r">Reply</a> <a href="#q">Quote</a> <a href="#x">Report</a></div></div>`;
  const body = `<div class="topbar"><a href="/">24</a> ${words.sections.map(link).join(' ')}</div><div class="breadcrumbs">${words.sections.slice(0, 3).map(link).join(' &rsaquo; ')}</div>
<div id="thread"><h1>${escaped(title)}</h1>${posts.map(post).join('\n')}</div>
<div class="pagination"><a href="?page=1">1</a> <a href="?page=2">2</a> <a href="?page=3">3</a></div>
<div class="related-topics"><h3>${words.related}</h3>${list(words.others.map(link))}</div><div class="footer">${words.rights}</div>`;
  const gold = posts.flatMap((text, index) => (index === 2 ? [posts[1] ?? '', text] : [text]));
  return { html: shell(words, title, { body }), gold };
};

/** Documentation: code, a table, notes, and menus on both sides. */
const documentation: Layout = (words, draw) => {
  const title = draw.pick(words.titles);
  const [one = '', two = '', three = ''] = words.headings;
  const texts = paragraphs(draw, 4);
  const code = `import { gauge } from 'river';\n\nconst level = await gauge.read({ station: 17, unit: 'cm' });\nif (level > 430) {\n  alarm.ring('bridge');\n}`;
  const note = draw.sentences(1)[0] ?? '';
  const rows = words.facts;
  const headings = [one, two, three];
  const body = `<header class="navbar"><a href="/">24 Docs</a><input placeholder="Search"></header><div class="layout">
<div class="menu"><ul>${words.sections
    .map(
      (name) =>
        `<li>${link(name)}<ul>${draw
          .some(words.others, 3)
          .map((other) => `<li>${link(other)}</li>`)
          .join('')}</ul></li>`,
    )
    .join('')}</ul></div>
<main role="main"><nav class="breadcrumb">${words.sections.slice(0, 2).map(link).join(' / ')}</nav>
<div class="markdown"><h1>${escaped(title)}</h1><p>${texts[0]}</p>
<h2 id="a">${one}<a class="hash-link" href="#a" aria-hidden="true">#</a></h2><p>${texts[1]}</p>
<div class="codeBlock"><button>Copy</button><pre><code class="language-ts">${escaped(code)}</code></pre></div>
<div class="admonition note"><p>${note}</p></div>
<h2 id="b">${two}</h2><p>${texts[2]}</p><table><thead><tr><th>${rows[0]?.[0]}</th><th>${rows[0]?.[1]}</th></tr></thead><tbody>${rows
    .slice(1)
    .map(([name, value]) => `<tr><td>${name}</td><td><code>${value}</code></td></tr>`)
    .join('')}</tbody></table>
<h2 id="c">${three}</h2><p>${texts[3]}</p></div>
<div class="feedback">Was this page helpful? <button>Yes</button><button>No</button></div>
<nav class="pagination-nav">${link(words.others[0] ?? '')} ${link(words.others[1] ?? '')}</nav></main>
<div class="toc">${list(headings.map((heading) => `<a href="#x">${heading}</a>`))}</div></div><footer>${words.rights}</footer>`;
  const gold = [
    texts[0] ?? '',
    one,
    texts[1] ?? '',
    code,
    note,
    two,
    texts[2] ?? '',
    ...rows.flat(),
    three,
    texts[3] ?? '',
  ];
  return { html: shell(words, title, { body }), gold };
};

/** A product page. */
const product: Layout = (words, draw) => {
  const title = draw.pick(words.others);
  const about = [draw.paragraph(), draw.paragraph()];
  const points = draw.sentences(4);
  const cards = words.others
    .map(
      (other) =>
        `<li class="card"><a href="${slug(other)}">${lazyImage(other)}<span>${other}</span><span class="price">€ 19,90</span></a></li>`,
    )
    .join('');
  const json = JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: title,
    offers: { price: 49.9, priceCurrency: 'EUR' },
  });
  const body = `<header>${words.sections.map(link).join('')}<a href="/cart" class="minicart">0</a></header>
<ol class="breadcrumb">${words.sections
    .slice(0, 3)
    .map((name) => `<li>${link(name)}</li>`)
    .join('')}</ol>
<div class="product-page"><div class="gallery">${lazyImage(title)}${lazyImage('b')}</div>
<div class="buy-box"><h1>${escaped(title)}</h1><div class="price">€ 49,90</div><form><select><option>S</option><option>M</option></select><button>+</button></form></div>
<div class="product-description"><h2>${words.headings[0]}</h2>${about.map((text) => `<p>${text}</p>`).join('')}${list(points)}</div>
<div class="specs"><h2>${words.headings[1]}</h2><table>${words.facts.map(([name, value]) => `<tr><th>${name}</th><td>${value}</td></tr>`).join('')}</table></div>
<div class="also-bought"><h2>${words.related}</h2><ul class="carousel">${cards}</ul></div></div>
<footer>${list(words.sections.map(link))}<p>${words.rights}</p></footer>${cookieWall(words)}`;
  const gold = [words.headings[0] ?? '', ...about, ...points, words.headings[1] ?? '', ...words.facts.flat()];
  return { html: shell(words, title, { head: `<script type="application/ld+json">${json}</script>`, body }), gold };
};

/** An index page, whose main content is a list of links. */
const index: Layout = (words, draw) => {
  const entries = draw
    .some(words.others, 6)
    .map((title) => ({ title, text: draw.sentences(2).join(words.code === 'ja' || words.code === 'zh' ? '' : ' ') }));
  const body = `<header class="masthead"><nav>${list(words.sections.map(link))}</nav></header>
<main><h1>${words.sections[2]}</h1><div class="stream">${entries
    .map(
      ({ title, text }) =>
        `<div class="teaser"><a href="${slug(title)}">${lazyImage(title)}</a><h2>${link(title)}</h2><p>${text}</p><span class="timestamp">${words.date}</span></div>`,
    )
    .join('\n')}</div><div class="pager"><a href="?p=2">2</a> <a href="?p=3">3</a></div></main>
<div class="sidebar widget"><h3>Top 5</h3>${list(words.others.map(link))}</div><footer>${words.rights}</footer>`;
  return {
    html: shell(words, words.sections[2] ?? '', { body }),
    gold: entries.flatMap(({ title, text }) => [title, text]),
  };
};

/** An encyclopedia article: info box, notes, related pages. */
const encyclopedia: Layout = (words, draw) => {
  const title = draw.pick(words.titles);
  const texts = paragraphs(draw, 5);
  const [one = '', two = ''] = draw.some(words.headings, 2);
  const note = (number: number) => `<sup id="r${number}" class="reference"><a href="#n${number}">[${number}]</a></sup>`;
  const wikified = (text: string) =>
    text.replace(/^\S{1,12}/, (word) => `<a href="/wiki/${encodeURIComponent(word)}">${word}</a>`);
  const edit = '<span class="mw-editsection">[<a href="/edit">edit</a>]</span>';
  const body = `<div id="mw-head"><div class="vector-menu">${list(words.sections.map(link))}</div></div><div id="content" role="main"><h1 id="firstHeading">${escaped(title)}</h1>
<div id="siteSub" class="noprint">24</div><div class="mw-parser-output">
<table class="infobox"><tbody><tr><th colspan="2">${escaped(title)}</th></tr>${words.facts.map(([name, value]) => `<tr><th>${name}</th><td>${value}</td></tr>`).join('')}</tbody></table>
<p>${wikified(texts[0] ?? '')}${note(1)}</p><p>${wikified(texts[1] ?? '')}</p>
<div id="toc" class="toc" role="navigation"><h2>Contents</h2>${list([`<a href="#a">1 ${one}</a>`, `<a href="#b">2 ${two}</a>`])}</div>
<h2><span class="mw-headline">${one}</span>${edit}</h2><p>${wikified(texts[2] ?? '')}${note(2)}</p><p>${texts[3]}</p>
<h2><span class="mw-headline">${two}</span>${edit}</h2><p>${wikified(texts[4] ?? '')}</p>
<div class="navbox" role="navigation"><table><tr><td>${words.others.map(link).join(' · ')}</td></tr></table></div></div>
<div id="catlinks" class="catlinks">${words.sections.map(link).join(' | ')}</div></div><div id="mw-navigation">${list(words.others.map(link))}</div><div id="footer">${words.rights}</div>`;
  const gold = [
    title,
    ...words.facts.flat(),
    texts[0] ?? '',
    texts[1] ?? '',
    one,
    texts[2] ?? '',
    texts[3] ?? '',
    two,
    texts[4] ?? '',
  ];
  return { html: shell(words, title, { body }), gold };
};

/** A question with its answers. */
const questions: Layout = (words, draw) => {
  const title = draw.pick(words.titles);
  const question = [draw.paragraph(), 'river gauge --station 17 --unit cm'];
  const answers = [draw.paragraph(), ...words.remarks.slice(0, 2)];
  const voting = '<div class="votecell"><button>▲</button><span>12</span><button>▼</button></div>';
  const signature = `<div class="user-card">${words.date} <a href="/u/7">${words.author}</a> <span>4,210</span></div>`;
  const body = `<header class="topbar"><a href="/">24</a><form><input></form></header><div class="left-sidebar"><nav>${list(words.sections.map(link))}</nav></div>
<div id="mainbar"><div id="question-header"><h1>${escaped(title)}</h1></div><div class="question">${voting}<div class="postcell"><div class="s-prose"><p>${question[0]}</p><pre><code>${question[1]}</code></pre></div><div class="post-taglist">${words.sections.slice(1, 4).map(link).join(' ')}</div>${signature}</div></div>
<div id="answers"><h2>${answers.length} ${words.comments}</h2>${answers.map((text) => `<div class="answer">${voting}<div class="answercell"><div class="s-prose"><p>${text}</p></div>${signature}</div></div>`).join('')}</div>
<form id="post-form"><h2>…</h2><textarea></textarea><button>OK</button></form></div>
<div id="sidebar"><div class="module"><h4>${words.related}</h4>${words.others.map((other, index) => `<div><a href="/q/${index}">${index * 3}</a> ${link(other)}</div>`).join('')}</div></div><footer>${words.rights}</footer>`;
  return { html: shell(words, title, { body }), gold: [...question, ...answers] };
};

/** A page with its text spread over generic `section` elements, and metadata in JSON-LD. */
const sections: Layout = (words, draw) => {
  const title = draw.pick(words.titles);
  const parts = draw.some(words.headings, 3).map((heading) => ({ heading, texts: paragraphs(draw, 2) }));
  const json = JSON.stringify({
    '@context': 'https://schema.org',
    '@graph': [
      {
        '@type': 'NewsArticle',
        headline: title,
        author: { '@type': 'Person', name: words.author },
        datePublished: '2026-03-14',
        inLanguage: words.code,
      },
    ],
  });
  const body = `<div class="page"><div class="hero"><nav>${words.sections.map(link).join('')}</nav><h1>${escaped(title)}</h1><div class="meta"><span>${words.author}</span><span>${words.date}</span></div></div>
<div class="paywall-prompt"><p>${words.newsletter}</p><a class="btn" href="/join">OK</a></div>
${parts.map(({ heading, texts }) => `<section class="block"><div class="inner"><h3>${heading}</h3>${texts.map((text) => `<p>${text}</p>`).join('')}</div></section><section class="block"><div class="inner">${lazyImage(heading)}</div></section>`).join('\n')}
<section class="block"><div class="inner"><h3>${words.related}</h3><div class="grid">${words.others.map((other) => `<div class="cell"><a href="${slug(other)}"><h4>${other}</h4></a></div>`).join('')}</div></div></section>
<div class="bottom">${words.rights} ${words.sections.map(link).join(' ')}</div></div>${cookieWall(words)}`;
  const gold = parts.flatMap(({ heading, texts }) => [heading, ...texts]);
  return { html: shell(words, title, { head: `<script type="application/ld+json">${json}</script>`, body }), gold };
};

export const layouts: Readonly<Record<string, Layout>> = {
  magazine,
  'div-soup': divSoup,
  'nested-tables': nestedTables,
  forum,
  documentation,
  product,
  index,
  encyclopedia,
  questions,
  sections,
};
