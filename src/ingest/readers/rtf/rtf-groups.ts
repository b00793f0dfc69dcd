/** Destination of a group's text. */
export type RtfDestination = 'body' | 'note' | 'mark' | 'fonts' | 'styles' | 'dropped' | `info ${string}`;

/** State of a group, inherited by nested groups. */
export interface RtfGroup {
  destination: RtfDestination;
  font: number;
  /** Number of fallback characters after a `\u`. */
  substitutes: number;
  isHidden: boolean;
  isInTable: boolean;
  /** 0 to 8, headings only. */
  outline: number | undefined;
  style: number | undefined;
  listLevel: number;
}

export const outermostGroup = (): RtfGroup => ({
  destination: 'body',
  font: 0,
  substitutes: 1,
  isHidden: false,
  isInTable: false,
  outline: undefined,
  style: undefined,
  listLevel: 0,
});

/** Groups without document text: file tables, pictures, running headers, data of other programs. */
const DROPPED = new Set(
  'colortbl pict object objdata fldinst listtable listoverridetable revtbl rsidtbl themedata colorschememapping datastore latentstyles generator header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc aftnsep aftnsepc xe tc txe rxe bkmkstart bkmkend annotation atnid atnauthor atntime atnicn atndate atnref nonshppict shppict sp sn sv private xmlnstbl wgrffmtfilter mmathPr filetbl pgptbl docvar formfield pnseclvl background template userprops'.split(
    ' ',
  ),
);
/** Starred groups, which unaware readers skip, that contain document text. */
const KNOWN_STARRED = new Set(['shpinst', 'shptxt', 'footnote', 'pntext', 'listtext', 'fldrslt']);

export const isDropped = (word: string, isStarred: boolean): boolean =>
  DROPPED.has(word) || (isStarred && !KNOWN_STARRED.has(word));

const DESTINATIONS: Readonly<Record<string, RtfDestination>> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  info: 'info other',
  footnote: 'note',
  listtext: 'mark',
  pntext: 'mark',
};
const INFO = new Set(['title', 'author', 'subject', 'keywords']);

/** Applies a control word that affects only its group. */
export function changeGroup(group: RtfGroup, word: string, value: number | undefined): void {
  const destination = DESTINATIONS[word];
  if (destination !== undefined) group.destination = destination;
  else if (group.destination.startsWith('info') && INFO.has(word)) group.destination = `info ${word}`;
  switch (word) {
    case 'f':
      group.font = value ?? 0;
      return;
    case 'uc':
      group.substitutes = Math.min(10, Math.max(0, value ?? 1));
      return;
    case 'v':
    case 'deleted':
      group.isHidden = value !== 0;
      return;
    case 'plain':
      group.isHidden = false;
      return;
    case 'pard':
      group.isInTable = false;
      group.outline = undefined;
      group.style = undefined;
      group.listLevel = 0;
      return;
    case 's':
      group.style = value;
      return;
    case 'outlinelevel':
      group.outline = value !== undefined && value >= 0 && value < 9 ? value : undefined;
      return;
    case 'ilvl':
      group.listLevel = value ?? 0;
      return;
    case 'intbl':
      group.isInTable = true;
  }
}
