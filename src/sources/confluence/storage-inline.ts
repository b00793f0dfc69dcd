import { oneLine } from '../../shared/text.ts';
import {
  childOf,
  elementsOf,
  findBelow,
  isElement,
  rawText,
  type StorageElement,
  type StorageNode,
} from './storage-tree.ts';

const INLINE = new Set(
  'a abbr acronym b bdi bdo big br cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const INLINE_OF_CONFLUENCE = new Set([
  'ac:link',
  'ac:image',
  'ac:emoticon',
  'ac:inline-comment-marker',
  'ac:placeholder',
  'ac:parameter',
  'ri:page',
  'ri:attachment',
  'ri:url',
  'ri:user',
]);

/** Whether the node is inline content, part of the surrounding paragraph. */
export function isInline(node: StorageNode): boolean {
  if (!isElement(node)) return true;
  if (INLINE_OF_CONFLUENCE.has(node.name)) return true;
  if (node.name === 'ac:structured-macro' || node.name === 'ac:macro') return bodyOf(node) === undefined;
  return INLINE.has(node.name) && node.children.every(isInline);
}

/** The body of a macro, rich or plain. */
export const bodyOf = (macro: StorageElement): StorageElement | undefined =>
  childOf(macro, 'ac:rich-text-body') ?? childOf(macro, 'ac:plain-text-body');

/** A macro's parameter as a single line; empty if absent. */
export const parameterOf = (macro: StorageElement, name: string): string =>
  oneLine(
    elementsOf(macro)
      .filter((child) => child.name === 'ac:parameter' && (child.attributes['ac:name'] ?? '') === name)
      .map(inlineText)
      .join(' '),
  );

/** Inline content as text with Markdown links; keeps line breaks (`br`). */
export function inlineText(node: StorageNode): string {
  if (!isElement(node)) return node.replace(/\s+/g, ' ');
  const { attributes } = node;
  switch (node.name) {
    case 'br':
      return '\n';
    case 'a':
      return linkText(oneLine(inner(node)), attributes['href'] ?? '');
    case 'code':
    case 'kbd':
    case 'samp':
    case 'tt':
      return codeText(inner(node));
    case 's':
    case 'del':
    case 'strike':
      return struckText(inner(node).trim());
    case 'sup':
      return raisedText(inner(node));
    case 'time':
      return inner(node).trim() || (attributes['datetime'] ?? '');
    case 'ac:link':
      return pageLink(node);
    case 'ac:image':
      return imageText(node);
    case 'ac:emoticon':
      return emoticon(attributes);
    case 'ri:page':
    case 'ri:blog-post':
      return attributes['ri:content-title'] ?? '';
    case 'ri:attachment':
      return attributes['ri:filename'] ?? '';
    case 'ri:space':
      return attributes['ri:space-key'] ?? '';
    case 'ri:url':
      return attributes['ri:value'] ?? '';
    case 'ri:user':
      return attributes['ri:username'] === undefined ? '' : `@${attributes['ri:username']}`;
    case 'ac:structured-macro':
    case 'ac:macro':
      return inlineMacro(node);
    case 'ac:placeholder':
    case 'script':
    case 'style':
      return '';
    default:
      return inner(node);
  }
}

const inner = ({ children }: StorageElement): string => children.map(inlineText).join('');

/** The visible text of a macro without a body. */
function inlineMacro(macro: StorageElement): string {
  switch (macro.attributes['ac:name']) {
    case 'status':
      return parameterOf(macro, 'title');
    case 'jira':
      return parameterOf(macro, 'key');
    case 'view-file':
    case 'viewpdf':
    case 'viewdoc':
    case 'viewxls':
    case 'viewppt':
      return parameterOf(macro, 'name');
    case 'include':
    case 'excerpt-include': {
      const page = findBelow(macro, ({ name }) => name === 'ri:page');
      return page === undefined ? '' : `(Includes the page ${inlineText(page)}.)`;
    }
    case 'widget':
    case 'iframe':
      return parameterOf(macro, 'url') || parameterOf(macro, 'src');
    default: {
      const body = bodyOf(macro);
      return body === undefined ? '' : inner(body);
    }
  }
}

/** A Markdown link; only the text if the target is not an absolute URL or cannot be written as a Markdown link. */
function linkText(text: string, href: string): string {
  if (!/^(?:https?|mailto):/i.test(href) || /[\s()<>]/.test(href) || href.length > 500) return text || href;
  return text === '' || text === href ? href : `[${text}](${href})`;
}

function pageLink(link: StorageElement): string {
  const body = childOf(link, 'ac:link-body') ?? childOf(link, 'ac:plain-text-link-body');
  const text = body === undefined ? '' : oneLine(inner(body));
  const target = elementsOf(link).find(({ name }) => name.startsWith('ri:'));
  return text || (target === undefined ? (link.attributes['ac:anchor'] ?? '') : inlineText(target));
}

function imageText(image: StorageElement): string {
  const caption = childOf(image, 'ac:caption');
  const shown = oneLine(caption === undefined ? '' : inner(caption)) || oneLine(image.attributes['ac:alt'] ?? '');
  const file = elementsOf(image).find(({ name }) => name === 'ri:attachment');
  const name = shown || (file === undefined ? '' : inlineText(file));
  return name === '' ? '' : `(picture: ${name})`;
}

/** Emoticons by name. A tick or a cross is often the only content of a table cell. */
const SIGNS: Readonly<Record<string, string>> = {
  tick: '✔',
  cross: '✘',
  warning: '⚠',
  information: 'ℹ',
  plus: '+',
  minus: '−',
  question: '?',
  'yellow-star': '★',
  'thumbs-up': '👍',
  'thumbs-down': '👎',
  'light-on': '💡',
};

function emoticon(attributes: StorageElement['attributes']): string {
  const fallback = attributes['ac:emoji-fallback'] ?? '';
  return SIGNS[attributes['ac:name'] ?? ''] ?? (/^:.*:$/.test(fallback) ? '' : fallback);
}

const struckText = (text: string): string => (text === '' ? '' : `~~${text}~~`);

/** Superscript, written as `^n` so that 10² does not become 102. */
const raisedText = (text: string): string => (/^[\p{L}\p{N}+−-]+$/u.test(text.trim()) ? `^${text.trim()}` : text);

/** Inline code, delimited by more backticks than the text contains in a row. */
function codeText(text: string): string {
  if (text.trim() === '') return '';
  const longest = [...text.matchAll(/`+/g)].reduce((max, [run]) => Math.max(max, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

/** Collapses spaces within lines and removes empty lines. */
export const tidyLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/[ \t\u{a0}]+/gu, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');

/** The text of a macro's HTML content, without markup. */
export const plainText = (nodes: readonly StorageNode[]): string => oneLine(nodes.map(rawText).join(' '));
