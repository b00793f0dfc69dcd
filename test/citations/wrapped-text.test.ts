import { describe, expect, it } from 'vitest';
import { findQuote, quoteOf } from '../../src/citations/find-quote.ts';
import { prepareDocument } from '../../src/ingest/prepare-document.ts';
import { chooseQuotes } from '../../src/models/extractive/choose-quotes.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';

const analyser = { analyse, analyseQuery };

const README = `# tidepool

A small client for tide tables. It fetches predictions for more than 3,000
harbours and caches them on disk.

## Tokens

Requests are authenticated with a token, which is read from the
environment variable \`TIDEPOOL_TOKEN\`. Without a token, only ten requests an
hour are allowed. A free token can be had on the project's
website.

## Errors

Errors are thrown as \`TideError\`. When the network is down, cached tables are
used for as long as they are not older than a
week; after that, \`offline\` is thrown.

- \`retries\`: how often a request that failed is
  repeated before the error is thrown
- \`ttl\`: seconds after which a table is fetched
    again from the server
`;

async function readmeChunks() {
  const bytes = new TextEncoder().encode(README);
  const job = {
    bytes,
    fileName: 'README.md',
    type: 'md',
    content: { kind: 'file' },
    split: {},
    skipSummary: true,
  } as const;
  const { text, chunks } = await prepareDocument(job, AbortSignal.timeout(10_000));
  return { text, chunks };
}

const cases = [
  [
    'Where is the token read from?',
    'Requests are authenticated with a token, which is read from the\nenvironment variable `TIDEPOOL_TOKEN`.',
  ],
  ['Where can a free token be had?', "A free token can be had on the project's\nwebsite."],
  [
    'How long are cached tables used when the network is down?',
    'When the network is down, cached tables are\nused for as long as they are not older than a\nweek; after that, `offline` is thrown.',
  ],
  [
    'How often is a request that failed repeated?',
    '- `retries`: how often a request that failed is\n  repeated before the error is thrown',
  ],
  [
    'After how many seconds is a table fetched again?',
    '- `ttl`: seconds after which a table is fetched\n    again from the server',
  ],
] as const;

describe('text that is wrapped by hand', () => {
  it.each(cases)('is quoted in whole sentences: %s', async (question, expected) => {
    const { text, chunks } = await readmeChunks();
    const sources = chunks.map((chunk) => ({ text: chunk.text, about: chunk.headingPath.join('\n') }));
    const [first] = chooseQuotes({ question, sources, analyser }).quotes;
    const chunk = chunks[first?.sourceIndex ?? 0];
    if (first === undefined || chunk === undefined) throw new Error('nothing was quoted');
    const quote = quoteOf(chunk, first);
    expect(quote.text).toContain(expected);
    expect(quote.text).toMatch(/^[A-Z-].*[\w.]$/s);
    expect(text.slice(quote.start, quote.end)).toBe(quote.text);
  });

  it.each([
    ['Tables up to a week old are used.', cases[2][1]],
    ['The token comes from TIDEPOOL_TOKEN.', cases[0][1]],
    ['A table is fetched again after so many seconds.', cases[4][1]],
  ])('supports a statement with a whole sentence: %s', async (statement, expected) => {
    const { text, chunks } = await readmeChunks();
    const chunk = chunks.find((each) => each.text.includes(expected));
    if (chunk === undefined) throw new Error('the sentence was cut');
    const quote = findQuote({ chunk, statement, question: '', analyser });
    expect(quote.text).toBe(expected);
    expect(text.slice(quote.start, quote.end)).toBe(expected);
  });
});
