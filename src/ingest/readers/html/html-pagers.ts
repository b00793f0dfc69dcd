import { lettersAndDigits, oneLine } from '../../../shared/text.ts';
import { isBlock, type PageMeasures } from './html-measure.ts';
import {
  childrenOf,
  elementsOf,
  type HtmlElement,
  type HtmlNode,
  hasBelow,
  isElement,
  textBelow,
} from './html-nodes.ts';

const MAX_PAGER = 600;
const MAX_LINKS = 40;
const MIN_LETTERS = 8;
/** Text beside links that are named by their directions: the titles of the neighbouring pages. */
const MAX_BESIDE = 300;

/** Where the links between the pages of a work lead, by the words with which they are named. */
const DIRECTIONS: readonly (readonly [direction: string, names: RegExp])[] = [
  [
    'next',
    named('next|forward|weiter|nächste[rs]?|vor|suivante?|siguiente|successivo|próxim[oa]|volgende|далее|次へ?|下一页'),
  ],
  [
    'previous',
    named('prev|previous|back|zurück|vorherige[rs]?|précédente?|anterior|precedente|vorige|назад|前へ?|上一页'),
  ],
  ['up', named('up|parent|nach oben|aufwärts|haut|arriba|su|вверх|上へ')],
  ['start', named('top|home|start|beginning|first|anfang|start|accueil|inicio|top of book|beginning of book')],
  ['end', named('last|end|letzte')],
  [
    'contents',
    named('contents|table of contents|toc|content|inhalt|inhaltsverzeichnis|sommaire|contenido|indice|目次'),
  ],
  ['index', named('index|stichwortverzeichnis|register|索引')],
];
const RELATIONS = new Map(
  Object.entries({ prev: 'previous', previous: 'previous', next: 'next', up: 'up', start: 'start', home: 'start' }),
);

/**
 * Removes links between the pages of a work: "Next: …, Previous: …, Up: …" of manuals, rows of "Prev", "Up" and "Next",
 * and the letters above an index. They are told by their links alone, each of which says where it leads, so that a
 * sentence with links is never removed.
 */
export function removePagers(body: HtmlNode, measures: PageMeasures): void {
  const found: HtmlElement[] = [];
  const visit = (node: HtmlNode): void => {
    for (const child of elementsOf(node)) {
      const length = measures.of(child)?.text ?? 0;
      if (length === 0) continue;
      if (
        length <= MAX_PAGER &&
        isBlock(child) &&
        !/^(?:h[1-6]|pre|t[dhr]|tbody|thead|li)$/.test(child.name) &&
        isPager(child)
      )
        found.push(child);
      else visit(child);
    }
  };
  visit(body);
  const lost = found.reduce((sum, element) => sum + (measures.of(element)?.text ?? 0), 0);
  // A page that consists of such links is a table of contents.
  if (lost >= (measures.of(body)?.text ?? 0)) return;
  for (const element of found) measures.remove(element);
}

interface Link {
  readonly element: HtmlElement;
  readonly text: string;
  /** The text between the link before and this one. */
  readonly before: string;
}

function isPager(element: HtmlElement): boolean {
  const { links, after } = linksOf(element);
  if (links.length === 0 || links.length > MAX_LINKS) return false;
  if (['h1', 'h2', 'h3', 'h4', 'pre', 'code'].some((name) => hasBelow(element, name))) return false;
  return isLabelled(links, after) || areDirections(links, element) || areLetters(links, after);
}

/** The links with text, in order; a picture's text counts as that of its link. */
function linksOf(element: HtmlElement): { readonly links: readonly Link[]; readonly after: string } {
  const links: Link[] = [];
  let before = '';
  const visit = (node: HtmlNode): void => {
    for (const child of childrenOf(node)) {
      if (child.type === 'text') before += child.data;
      else if (isElement(child) && child.name === 'a' && child.attribs['href'] !== undefined) {
        const text = oneLine(textBelow(child));
        if (text === '') continue;
        links.push({ element: child, text, before: oneLine(before) });
        before = '';
      } else visit(child);
    }
  };
  visit(element);
  return { links, after: oneLine(before) };
}

/** "Next: Title, Previous: Title, Up: Title [Contents][Index]": each link is named by its label, itself or its relation. */
function isLabelled(links: readonly Link[], after: string): boolean {
  if (!isBare(after)) return false;
  const directions = new Set<string>();
  let isRelated = false;
  for (const { element, text, before } of links) {
    const label = bare(before);
    const relation = relationOf(element);
    const direction = directionOf(label) ?? (label === '' ? (relation ?? directionOf(text)) : undefined);
    if (direction === undefined) return false;
    isRelated ||= relation !== undefined;
    directions.add(direction);
  }
  return directions.size > 1 || isRelated;
}

/** A row of links that are all named by their directions, perhaps with the titles of the pages they lead to. */
function areDirections(links: readonly Link[], element: HtmlElement): boolean {
  const directions = new Set(links.map(({ text }) => directionOf(bare(text))));
  if (directions.has(undefined) || directions.size < 2 || !(directions.has('next') || directions.has('previous')))
    return false;
  const beside = oneLine(textBelow(element)).length - links.reduce((sum, { text }) => sum + text.length, 0);
  return beside <= MAX_BESIDE && ((element.name === 'table' && links.length > 1) || beside <= 4 * links.length);
}

/** The letters above an alphabetical index. */
function areLetters(links: readonly Link[], after: string): boolean {
  if (links.length < MIN_LETTERS || !isBare(after)) return false;
  if (links.some(({ text, before }, place) => [...text].length > 2 || (place > 0 && !isBare(before)))) return false;
  const letters = links.map(({ text }) => text.toUpperCase()).filter((text) => /^\p{L}$/u.test(text));
  return (
    letters.length >= MIN_LETTERS &&
    letters.every((letter, place) => place === 0 || letter > (letters[place - 1] ?? ''))
  );
}

/** Without brackets, arrows and punctuation around it. */
const bare = (text: string): string => text.replace(/^[^\p{L}\p{N}]+/u, '').replace(/[^\p{L}\p{N}]+$/u, '');
const isBare = (text: string): boolean => bare(text) === '';

function named(names: string): RegExp {
  return new RegExp(
    `^(?:${names})(?: (?:page|chapter|section|part|topic|node|class|package|article|seite|kapitel|abschnitt))?$`,
    'iu',
  );
}

const directionOf = (text: string): string | undefined =>
  text.length > 30 ? undefined : DIRECTIONS.find(([, names]) => names.test(text))?.[0];

function relationOf({ attribs }: HtmlElement): string | undefined {
  const words = (attribs['rel'] ?? '').toLowerCase().split(/\s+/);
  return words.map((word) => RELATIONS.get(word)).find((direction) => direction !== undefined);
}

/** Links within the page that list its headings need at least this many of them. */
const MIN_ENTRIES = 4;
const MAX_OTHER_SHARE = 0.15;

/**
 * Removes tables of contents of the page itself: lists of links to places within it whose words are those of its
 * headings, so that nothing is lost.
 */
export function removeOwnContents(body: HtmlNode, measures: PageMeasures): void {
  let headings: ReadonlySet<string> | undefined;
  const visit = (node: HtmlNode): void => {
    for (const child of elementsOf(node)) {
      if ((measures.of(child)?.text ?? 0) === 0) continue;
      if (!/^(?:ul|ol|dl|table|nav)$/.test(child.name)) {
        visit(child);
        continue;
      }
      headings ??= headingsOf(body);
      if (listsHeadings(child, headings)) measures.remove(child);
      else visit(child);
    }
  };
  visit(body);
}

function listsHeadings(list: HtmlElement, headings: ReadonlySet<string>): boolean {
  const { links, after } = linksOf(list);
  const own = links.filter(({ element }) => element.attribs['href']?.startsWith('#'));
  if (own.length < MIN_ENTRIES || own.length < links.length) return false;
  const linked = links.reduce((sum, { text }) => sum + text.length, 0);
  const beside = links.reduce((sum, { before }) => sum + bare(before).length, bare(after).length);
  if (beside > linked * MAX_OTHER_SHARE) return false;
  return links.every(({ text }) => headings.has(lettersAndDigits(text)));
}

function headingsOf(body: HtmlNode): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: HtmlNode): void => {
    for (const child of elementsOf(node)) {
      if (/^h[1-6]$/.test(child.name)) found.add(lettersAndDigits(textBelow(child)));
      else visit(child);
    }
  };
  visit(body);
  return found;
}
