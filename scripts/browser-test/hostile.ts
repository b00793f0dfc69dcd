import type { Page } from 'playwright-core';
import { pdfFile } from '../../test/support/pdf-file.ts';
import { type BrowserSuite, type BrowserTest, holds, same } from './suite.ts';

/** The sentence in each document that is quoted. */
const WORDS = 'Nothing in this document may ever run.';
const ELSEWHERE = 'http://attacker.invalid/';
const REFRESH_S = 1;

/** A script that records its name in its own window and in the top window. */
const act = (name: string): string =>
  `for (const each of [window, top]) try { (each.acts ??= []).push('${name}') } catch {}`;

/** Everything a page can do without a click; the names are those of the scripts that a browser would run. */
const HTML_ACTS = ['script', 'error', 'load'];
const HTML = `<!doctype html><title>Hostile</title><meta http-equiv="refresh" content="${REFRESH_S}; url=${ELSEWHERE}refresh">
<base target="_top"><link rel="stylesheet" href="${ELSEWHERE}style"><style>@import "${ELSEWHERE}import";</style>
<body onload="${act('load')}" background="${ELSEWHERE}background"><script>${act('script')}</script>
<img src="${ELSEWHERE}picture" onerror="${act('error')}"><iframe src="${ELSEWHERE}frame"></iframe>
<iframe srcdoc="<script src='${ELSEWHERE}srcdoc'></script>"></iframe><object data="${ELSEWHERE}object"></object>
<p>${WORDS}</p><p><a href="JaVa&#10;ScRiPt:${act('link')}">Follow me</a></p>
<form action="${ELSEWHERE}form"><button>Send</button></form>`;

const DRAWING_ACTS = ['svg-load', 'svg-script'];
/** The last two lines are mutation XSS: they become other elements when a sanitiser's output is parsed again. */
const DRAWING = `<!doctype html><title>Drawing</title>
<svg width="9" height="9" onload="${act('svg-load')}"><script>${act('svg-script')}</script><image href="${ELSEWHERE}image"/>
<foreignObject><iframe src="${ELSEWHERE}foreign"></iframe></foreignObject></svg>
<p>${WORDS}</p><svg width="99" height="20"><a href="javascript:${act('link')}"><text y="15">Follow me</text></a></svg>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${act('comment')}&gt;"></table></mtext></math>
<svg></p><style><a title="</style><img src='${ELSEWHERE}style-end' onerror=&quot;${act('math-error')}&quot;>">`;

const MARKDOWN = `# Hostile

${WORDS} [Follow me](javascript:${act('link')})

<script>${act('script')}</script> <img src="${ELSEWHERE}picture" onerror="${act('error')}">
<iframe src="${ELSEWHERE}frame"></iframe> ![picture](${ELSEWHERE}markdown)
`;

const PDF_SCRIPT = `app.alert('ran'); app.launchURL('${ELSEWHERE}script'); window.acts = ['pdf'];`.replaceAll(
  /[()]/g,
  '\\$&',
);

/** A PDF with scripts that run when it opens, when its page opens, and when its link or field is used. */
function hostilePdf(): Uint8Array {
  const drawing = `BT /F1 11 Tf 72 740 Td (${WORDS}) Tj ET`;
  const script = `<< /S /JavaScript /JS (${PDF_SCRIPT}) /Next << /S /URI /URI (${ELSEWHERE}next) >> >>`;
  return pdfFile([
    `<< /Type /Catalog /Pages 2 0 R /OpenAction ${script} /Names << /JavaScript << /Names [(all) ${script}] >> >> /AcroForm << /Fields [6 0 R] >> >>`,
    '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /AA << /O ${script} >> /Annots [6 0 R 7 0 R] /Resources << /Font << /F1 3 0 R >> >> >>`,
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (field) /Rect [72 600 300 640] /AA << /F ${script} /Fo ${script} >> >>`,
    `<< /Type /Annot /Subtype /Link /Rect [0 0 595 842] /A << /S /URI /URI (javascript:${PDF_SCRIPT}) >> >>`,
  ]);
}

/** No document runs scripts, sends requests or navigates, whatever it contains. */
export const hostileSuite: BrowserSuite = {
  name: 'hostile',
  async run(test) {
    await checkActs(test, 'page.html', HTML, HTML_ACTS);
    await checkActs(test, 'drawing.html', DRAWING, DRAWING_ACTS);
    await checkPdfActs(test);
    for (const [name, bytes] of [
      ['page.html', HTML],
      ['drawing.html', DRAWING],
      ['note.md', MARKDOWN],
      ['paper.pdf', hostilePdf()],
    ] as const) {
      await checkDocument(test, name, bytes);
    }
  },
};

/** Checks that the document is hostile at all; if it were harmless, the other checks would pass without reason. */
async function checkActs(test: BrowserTest, name: string, html: string, expected: readonly string[]): Promise<void> {
  await test.check(`${name} acts in a page that trusts it`, async (page) => {
    await page.setContent(html.replaceAll(ELSEWHERE, 'about:blank#'), { waitUntil: 'commit' });
    await page.waitForFunction(`${JSON.stringify(expected)}.every((each) => window.acts?.includes(each))`);
    await page.getByText('Follow me').click();
    await page.waitForFunction(`window.acts.includes('link')`);
    if (html.includes('refresh')) await page.waitForURL('about:blank#refresh');
  });
}

async function checkPdfActs(test: BrowserTest): Promise<void> {
  await test.check('paper.pdf has its scripts', async () => {
    const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
    const task = getDocument({ data: hostilePdf() });
    const actions: unknown = await (await task.promise).getJSActions();
    await task.destroy();
    const names = actions instanceof Map ? [...actions.keys()] : [];
    same(names.sort().join(), 'OpenAction,all', 'the scripts that run when it opens');
  });
}

async function checkDocument(test: BrowserTest, name: string, bytes: Uint8Array | string): Promise<void> {
  await test.check(
    `nothing in ${name} runs`,
    async (page) => {
      const id = await test.ingestBytes(`hostile-${name}`, bytes);
      const { text } = await test.get<{ readonly text: string }>(`/documents/${id}/text`);
      const start = text.indexOf(WORDS);
      holds(start >= 0, `“${text}” says “${WORDS}”`);
      const acts = watch(page, test.url);
      const address = `${test.url}/d/${id}?q=${start}-${start + WORDS.length}`;
      await page.goto(address);
      const shown = name.endsWith('.html') ? page.frameLocator('.source-frame') : page;
      const mark = shown.locator('mark');
      await mark.first().waitFor();
      same((await mark.allTextContents()).join(''), WORDS, 'the marked text');
      await mark.first().click();
      for (const link of await shown.getByText('Follow me').all()) await link.click();
      await page.waitForTimeout(name === 'page.html' ? REFRESH_S * 1_500 : 200);
      same(await ran(page), '', 'what ran in the original');
      same(acts.join(), '', 'what the original did');
      const what = 'script, form, svg, math, object, embed, [onerror], [onload], [href^="j" i], iframe iframe';
      if (name.endsWith('.html')) same(await shown.locator(`${what}, iframe, [href]`).count(), 0, 'what could act');
      for (const tab of ['text', 'passages', 'details']) {
        await page.goto(`${address}&tab=${tab}`);
        await page.locator('[role=tabpanel]').first().waitFor();
        await page.waitForLoadState('networkidle');
        same(await ran(page), '', `what ran in the tab ${tab}`);
      }
      same(acts.join(), '', 'what it did');
    },
    // The content security policy is off, because it would hide mistakes of the page.
    { bypassCSP: true },
  );
}

/** The names of the scripts that ran in any frame of the page. */
async function ran(page: Page): Promise<string> {
  const all = await Promise.all(page.frames().map((frame) => frame.evaluate<string[]>('window.acts ?? []')));
  return all.flat().join();
}

/** Collects dialogs, new windows, downloads, navigations and requests to other hosts. */
function watch(page: Page, own: string): string[] {
  const acts: string[] = [];
  page.on('dialog', (dialog) => {
    acts.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', (popup) => acts.push(`window ${popup.url()}`));
  page.on('download', (download) => acts.push(`download ${download.url()}`));
  page.context().on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${own}/`) && !/^(data|blob|about):/.test(url)) acts.push(`request ${url}`);
  });
  page.on('framenavigated', (frame) => {
    const isOwn = frame === page.mainFrame() ? frame.url().startsWith(`${own}/d/`) : /^about:/.test(frame.url());
    if (!isOwn) acts.push(`navigation to ${frame.url()}`);
  });
  return acts;
}
