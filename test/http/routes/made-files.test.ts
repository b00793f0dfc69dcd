import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultAdmin, type Principal } from '../../../src/access/principal.ts';
import { InProcessMadeFiles } from '../../../src/runs/in-process-made-files.ts';
import { madeFilePath } from '../../../src/toolbox/made-file-path.ts';
import { type RunningHttp, startHttp } from '../support/start-http.ts';

const otherUser: Principal = { ...defaultAdmin, userId: '11111111-1111-4111-8111-111111111111' };
const madeFiles = new InProcessMadeFiles();
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const file = (name: string, mediaType: string, text: string) => ({ name, mediaType, bytes: Buffer.from(text) });
const id = await madeFiles.keep(defaultAdmin.userId, [
  file('out/sums, 1/Q3: ä.csv', 'text/csv', 'a,b\n1,2\n'),
  file('out/chart.svg', 'image/svg+xml', SVG),
]);

let http: RunningHttp;
beforeAll(async () => {
  http = await startHttp({ madeFiles }, async ({ apiKey }) => (apiKey === undefined ? defaultAdmin : otherUser));
});
afterAll(() => http.close());

const get = (name: string, init?: RequestInit) => fetch(`${http.url}${madeFilePath(id, name)}`, init);

it('downloads a file that a tool made, by its name with all its characters', async () => {
  const response = await get('out/sums, 1/Q3: ä.csv');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toContain("filename*=UTF-8''Q3%3A%20%C3%A4.csv");
  expect(await response.text()).toBe('a,b\n1,2\n');
  const part = await get('out/sums, 1/Q3: ä.csv', { headers: { range: 'bytes=4-6' } });
  expect([part.status, await part.text()]).toEqual([206, '1,2']);
});

it('sends what could run in a browser as a sandboxed attachment', async () => {
  const { headers } = await get('out/chart.svg');
  expect(headers.get('content-disposition')).toMatch(/^attachment/);
  expect(headers.get('content-security-policy')).toContain('sandbox');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

it('answers 404 for files of others, unknown files and odd names', async () => {
  expect((await get('out/chart.svg', { headers: { 'x-api-key': 'k' } })).status).toBe(404);
  for (const name of ['out/none.csv', 'out', '../out/chart.svg', 'out/%00']) {
    expect([name, (await get(name)).status]).toEqual([name, 404]);
  }
});
