import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A letter and its centre, in fractions of the page's width and height from the upper left corner. */
export interface PlacedLetter {
  readonly letter: string;
  readonly x: number;
  readonly y: number;
}

const MAX_OUTPUT = 100_000_000;

/** Whether MuPDF, an engine that shares no code with pdf.js, is installed. */
export const hasMutool = async (): Promise<boolean> =>
  run('mutool', ['-v']).then(
    () => true,
    () => false,
  );

/** The letters of a page as MuPDF places them. */
export async function lettersOf(path: string, page: number): Promise<PlacedLetter[]> {
  const { stdout } = await run('mutool', ['draw', '-F', 'stext', path, String(page)], { maxBuffer: MAX_OUTPUT });
  const [, width, height] = /<page [^>]*width="([\d.]+)" height="([\d.]+)"/.exec(stdout) ?? [];
  return [...stdout.matchAll(/<char quad="([^"]+)"[^>]* c="([^"]*)"/g)].map(([, quad = '', letter = '']) => {
    const corners = quad.split(' ').map(Number);
    const middle = (first: 0 | 1) => [0, 2, 4, 6].reduce((sum, index) => sum + (corners[index + first] ?? 0), 0) / 4;
    return { letter: decode(letter), x: middle(0) / Number(width), y: middle(1) / Number(height) };
  });
}

const run = promisify(execFile);

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|(\w+));/gi, (whole, code, name) =>
    code === undefined ? (NAMED[name] ?? whole) : String.fromCodePoint(Number.parseInt(code, 16)),
  );
