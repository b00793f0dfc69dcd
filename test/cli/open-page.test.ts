import { describe, expect, it } from 'vitest';
import { openPage, type PageOpener } from '../../src/cli/open-page.ts';

const URL = 'http://127.0.0.1:7272';

async function opening(change: Partial<PageOpener>, exitCode: number | null = 0) {
  const opened: string[] = [];
  const notes: string[] = [];
  const note = (line = '') => void notes.push(line);
  await openPage(
    URL,
    { note },
    {
      platform: 'linux',
      hasDisplay: true,
      isRoot: false,
      async open(url) {
        opened.push(url);
        return { once: (_event, listener) => listener(exitCode) };
      },
      ...change,
    },
  );
  return { opened, notes };
}

describe('serve --open', () => {
  it('opens the address of the page', async () => {
    expect(await opening({})).toEqual({ opened: [URL], notes: [] });
    expect(await opening({ platform: 'darwin', hasDisplay: false })).toEqual({ opened: [URL], notes: [] });
  });

  it.each<[string, Partial<PageOpener>, RegExp]>([
    ['without a display', { hasDisplay: false }, /no display/],
    ['as root', { isRoot: true }, /root/],
  ])('opens nothing %s, and says so', async (_, change, reason) => {
    const { opened, notes } = await opening(change);
    expect(opened).toEqual([]);
    expect(notes).toEqual([expect.stringMatching(reason)]);
    expect(notes[0]).toContain(URL);
  });

  it('reports a failure as a line', async () => {
    const failing = await opening({ open: () => Promise.reject(new Error('spawn xdg-open ENOENT')) });
    expect(failing.notes).toEqual([expect.stringContaining('spawn xdg-open ENOENT')]);
    expect((await opening({}, 3)).notes).toEqual([expect.stringContaining('code 3')]);
  });
});
