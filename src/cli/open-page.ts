import type { Config } from '../config.ts';
import { errorMessage } from '../shared/error-message.ts';
import type { Output } from './output.ts';

export interface PageOpener {
  readonly platform: NodeJS.Platform;
  readonly hasDisplay: boolean;
  readonly isRoot: boolean;
  /** Starts the program with which this system opens URLs. */
  open(url: string): Promise<{
    once(event: 'exit', listener: (code: number | null) => void): unknown;
  }>;
}

export const systemPageOpener = ({ hasDisplay }: Pick<Config, 'hasDisplay'>): PageOpener => ({
  platform: process.platform,
  hasDisplay,
  isRoot: process.getuid?.() === 0,
  open: async (url) => (await import('open')).default(url),
});

/** Opens the web page in the user's browser. If that is not possible, notes the reason and returns. */
export async function openPage(url: string, output: Pick<Output, 'note'>, opener: PageOpener): Promise<void> {
  const note = (why: string) => output.note(`The page was not opened (${why}). Its address is ${url}`);
  const reason = reasonNotToOpen(opener);
  if (reason !== undefined) return note(reason);
  try {
    const process = await opener.open(url);
    process.once('exit', (code) => {
      if (code !== null && code !== 0) note(`the program that opens URLs exited with code ${code}`);
    });
  } catch (error) {
    note(errorMessage(error));
  }
}

/** Without a display a browser in the terminal might start, and as root one without its sandbox. */
function reasonNotToOpen({ platform, hasDisplay, isRoot }: PageOpener): string | undefined {
  if (isRoot) return 'the service runs as root';
  return platform === 'linux' && !hasDisplay ? 'there is no display' : undefined;
}
