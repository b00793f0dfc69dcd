import type { Options } from 'temml';

/** For formulas that a language model wrote. Links, classes and pictures in them are refused (`trust`). */
export const temmlOptions: Options = {
  throwOnError: true,
  trust: false,
  // In em; otherwise `\rule` could cover the page.
  maxSize: [25, 25],
  maxExpand: 200,
};
