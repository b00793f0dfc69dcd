// Characters invisible to a reader: zero-width and bidi controls, tags and variation selectors, which can encode hidden
// text. Joiners are kept, because several scripts need them.
const INVISIBLE =
  /[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]|[\u{E0000}-\u{E007F}]|[\u{E0100}-\u{E01EF}]/gu;

/** Removes characters that a reader does not see, which could contain hidden instructions for a model. */
export const stripInvisible = (text: string): string => text.replaceAll(INVISIBLE, '');
