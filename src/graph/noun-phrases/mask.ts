/** Longer chunks are truncated; ingestion does not create any. */
const MAX_LENGTH = 50_000;
/** Longer runs without spaces are data rather than words. */
const MAX_RUN_LENGTH = 60;

const FENCE = /^\s*(?:`{3,}|~{3,})/;
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:\/\/|\/\*|\*\/|<\/?\w|[$>#]\s?(?:npm|npx|pip|git|curl|sudo|cd|docker)\b|(?:import|export|from|def|class|function|const|let|var|return|public|private|SELECT|INSERT|UPDATE|CREATE)\s.*[({=*;:])|^\s*[\w.$-]+\s*[:=]+\s*(?:["'[{]|\d|true\b|false\b|null\b)/;
const INLINE = /`[^`\n]{1,200}`|(?<=\])\([^()\s]{1,500}\)|<[^<>\n]{1,200}>/g;

// URLs, paths, identifiers, hashes, options: technical strings rather than language.
const OPAQUE =
  /:\/\/|^www\.|.@.|_|\\|^[/~.$%#@-]|[=<>{}|]|::|\(\)|^\p{L}{2,}[\p{Ll}\d]*\.\p{Ll}{2,}|\/.*\/|^\p{Ll}+\p{Lu}|^(?!\d{4}-\d\d-\d\d$)(?=\S*\d)[\dA-Fa-f-]{8,}$|^(?:\p{Lu}\p{Ll}+){3}|^\p{Ll}+\d|^v?\d+(?:\.\d+){2,}|^n\/a$|^N\/A$/u;
// eBay, iPhone, mRNA, pH
const PRODUCT_STYLE_NAME = /^[eimpvx]\p{Lu}/u;

/** Blanks out everything that is not language (code, URLs, paths, endless runs), keeping offsets. */
export function maskNonLanguage(chunkText: string): string {
  const text = chunkText.length > MAX_LENGTH ? chunkText.slice(0, MAX_LENGTH).toWellFormed() : chunkText;
  let isFenced = false;
  return text
    .split('\n')
    .map((line) => {
      const isFence = FENCE.test(line);
      if (isFence) isFenced = !isFenced;
      if (isFence || isFenced || (line.length < 400 && CODE_LINE.test(line))) return blank(line);
      return line.replace(INLINE, blank).replace(/\S+/g, (run) => (isLanguage(run) ? run : blankWord(run)));
    })
    .join('\n');
}

const isLanguage = (run: string): boolean => {
  if (run.length > MAX_RUN_LENGTH) return UNSPACED.test(run.slice(0, MAX_RUN_LENGTH));
  const word = run.replace(/^["'“”‘’«»()[\]*]+|["'“”‘’«»()[\]*.,;:!?]+$/g, '');
  return word === '' || PRODUCT_STYLE_NAME.test(word) || !OPAQUE.test(word);
};

const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

const blank = (text: string): string => ' '.repeat(text.length);

/** Masks text with a bullet, which belongs to no word, so that no phrase spans the gap. */
const blankWord = (run: string): string => {
  const end = /[.,;:!?)]*$/.exec(run.slice(-8))?.[0] ?? '';
  return `•${' '.repeat(run.length - end.length - 1)}${end}`.slice(0, run.length);
};
