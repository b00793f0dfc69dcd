/** Search indexes of documentation sites (Sphinx, MkDocs), minified code and source maps. */
const GENERATED =
  /^(?:searchindex\.js|search[_-]index\.js(?:on)?)$|\.min\.(?:js|mjs|cjs|css)$|\.(?:js|mjs|cjs|css)\.map$/i;

/**
 * Whether a file was generated for browsers, by its name. Its words are those of the pages beside it, so that it would
 * be found for every question and quoted in place of them.
 */
export const isGenerated = (fileName: string): boolean => GENERATED.test(fileName);
