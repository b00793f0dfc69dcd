import { texts } from '../texts.ts';

/** Loads the code of a part of the page. Throws with a message for people; a repeated call also loads missing styles. */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  try {
    await loadMissingStyles();
    return await load();
  } catch (cause) {
    throw new Error(texts.codeMissing, { cause });
  }
}

/** Links of style sheets that could not be loaded. */
const missingStyles = new Set<HTMLLinkElement>();

addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') missingStyles.add(target);
  },
  // The event does not bubble.
  true,
);

/** Requests these again, because the bundler requests each style sheet only once. */
async function loadMissingStyles(): Promise<void> {
  await Promise.all([...missingStyles].map(loadAgain));
}

function loadAgain(link: HTMLLinkElement): Promise<unknown> {
  missingStyles.delete(link);
  const copy = document.createElement('link');
  copy.rel = 'stylesheet';
  copy.href = link.href;
  return new Promise((resolve, reject) => {
    copy.addEventListener('load', resolve);
    copy.addEventListener('error', () => reject(new Error(`${link.href} could not be loaded.`)));
    link.replaceWith(copy);
  });
}
