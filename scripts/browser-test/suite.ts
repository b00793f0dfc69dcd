import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** The checks of one view. For a new view, add a file to this folder and its suite to `browser-test.ts`. */
export interface BrowserSuite {
  readonly name: string;
  run(test: BrowserTest): Promise<void>;
}

/** A running service and a browser. All suites share both; each ingests the documents it needs. */
export interface BrowserTest {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** Runs one check in a new page and counts the result. Never throws. */
  check(title: string, run: (page: Page) => Promise<void>, options?: BrowserContextOptions): Promise<void>;
  /** Ingests a file and returns the document's identifier, also for a file ingested before. */
  ingest(path: string): Promise<string>;
  /** The same for bytes with a file name. */
  ingestBytes(name: string, bytes: Uint8Array | string): Promise<string>;
  /** Requests a path below `/v3` and returns the `results` of the response. */
  get<T>(path: string): Promise<T>;
  /** The same test against another service. */
  at(url: string): BrowserTest;
  /** All requests that the pages of the checks have sent so far. */
  readonly requests: readonly SentRequest[];
}

export interface SentRequest {
  readonly method: string;
  readonly url: string;
}

export interface Counts {
  passed: number;
  failed: number;
}

interface TestParts {
  readonly url: string;
  readonly browser: Browser;
  readonly counts: Counts;
  /** Precedes the titles in the output, because suites run side by side. */
  readonly suite: string;
  readonly requests: SentRequest[];
}

/** Maximum time for anything on the page to appear. */
const PATIENCE_MS = 60_000;

export function createTest(parts: TestParts): BrowserTest {
  const { url, browser, counts, suite, requests } = parts;
  const ingestBytes = async (name: string, bytes: Uint8Array | string, patience = 300): Promise<string> => {
    const form = new FormData();
    form.set('file', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name);
    const response = await fetch(`${url}/v3/documents`, { method: 'POST', body: form });
    const answer = (await response.json()) as { results?: { document_id: string }; message?: string };
    const id = answer.results?.document_id ?? /Document ([0-9a-f-]{36}) exists/.exec(answer.message ?? '')?.[1];
    if (id !== undefined) return id;
    // Another suite has just begun to ingest the same file.
    if (patience === 0 || response.status !== 409) throw new Error(`${name} was not taken in: ${answer.message}`);
    await sleep(100);
    return ingestBytes(name, bytes, patience - 1);
  };
  return {
    url,
    ingestBytes: (name, bytes) => ingestBytes(name, bytes),
    ingest: async (path) => ingestBytes(basename(path), await readFile(path)),
    async get<T>(path: string): Promise<T> {
      const response = await fetch(`${url}/v3${path}`);
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      return ((await response.json()) as { results: T }).results;
    },
    at: (other) => createTest({ ...parts, url: other }),
    requests,
    async check(title, run, options) {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(PATIENCE_MS);
      context.on('request', (request) => requests.push({ method: request.method(), url: request.url() }));
      try {
        await run(await context.newPage());
        counts.passed++;
        console.log(`  ok      ${suite}: ${title}`);
      } catch (error) {
        counts.failed++;
        console.log(`  FAILED  ${suite}: ${title}\n    ${error instanceof Error ? error.message : String(error)}`);
      } finally {
        await context.close();
      }
    },
  };
}

/** Fails the check unless both values are identical. */
export function same(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) {
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, but it is ${JSON.stringify(actual)}`);
  }
}

/** Fails the check unless `isTrue`; `statement` describes the expectation. */
export function holds(isTrue: boolean, statement: string): void {
  if (!isTrue) throw new Error(`it does not hold that ${statement}`);
}
