import { describe, expect, it } from 'vitest';
import { checkWeb } from '../../src/cli/check-web.ts';
import { loadConfig } from '../../src/config.ts';
import { describeWeb, webFacts } from '../../src/web/describe-web.ts';
import { findBrowser } from '../web/browser-support.ts';

const configOf = (env: Readonly<Record<string, string>>) => loadConfig({ env, cwd: '/nowhere' });
const SECRETS = /very-secret|8888|wiki/;

const full = {
  SEARXNG_URL: 'http://127.0.0.1:8888',
  TAVILY_API_KEY: 'very-secret-one',
  BRAVE_API_KEY: 'very-secret-two',
  CITEWELL_WEB_SEARCH: 'tavily,brave',
  CITEWELL_OBEY_ROBOTS: 'false',
  CITEWELL_BROWSER: '/opt/chromium',
  CITEWELL_ALLOW_HOSTS: 'wiki.intern',
};

describe('the report on web search', () => {
  it.each([
    [
      full,
      'search with tavily, then brave; pages are rendered by /opt/chromium; robots.txt is not obeyed (CITEWELL_OBEY_ROBOTS=false); 1 entry in CITEWELL_ALLOW_HOSTS',
    ],
    [{}, 'no search service is set; pages are not rendered (CITEWELL_BROWSER); robots.txt is obeyed'],
  ])('names services and settings, but no keys or addresses', (env, line) => {
    const facts = webFacts(configOf(env).web);
    expect(describeWeb(facts)).toBe(line);
    expect(JSON.stringify(facts)).not.toMatch(SECRETS);
  });
});

describe('the doctor', () => {
  it('names the variables that enable web search when it is not configured', async () => {
    const finding = await checkWeb(configOf({}));
    expect(finding).toMatchObject({ name: 'Web', state: 'warning', fix: expect.stringContaining('SEARXNG_URL') });
  });

  it('accepts one configured search service', async () => {
    const finding = await checkWeb(configOf({ EXA_API_KEY: 'very-secret' }));
    expect(finding).toMatchObject({ state: 'ok', detail: expect.stringMatching(/^search with exa;/) });
  });

  it('says why a browser does not start, without secrets', async () => {
    const finding = await checkWeb(configOf({ ...full, CITEWELL_BROWSER: '/nowhere/chromium' }));
    expect(finding).toMatchObject({ state: 'warning', fix: expect.stringContaining('CITEWELL_BROWSER') });
    expect(finding.detail).toMatch(/npm install playwright-core|could not be started/);
    expect(JSON.stringify(finding)).not.toMatch(SECRETS);
  });

  it('checks that the browser starts, or says what is missing', { timeout: 30_000 }, async () => {
    const browser = await findBrowser();
    const finding = await checkWeb(configOf({ ...full, CITEWELL_BROWSER: browser ?? '/nowhere/chromium' }));
    expect(finding.state).toBe(browser === undefined ? 'warning' : 'ok');
  });
});
