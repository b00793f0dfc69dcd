import { oneLine } from '../../shared/text.ts';
import { bodyOf, inlineText, isInline, parameterOf, plainText, tidyLines } from './storage-inline.ts';
import { isDataTable, markdownTable, rowsOf } from './storage-table.ts';
import {
  childOf,
  elementsOf,
  findBelow,
  isElement,
  parseStorage,
  rawText,
  type StorageElement,
  type StorageNode,
} from './storage-tree.ts';

interface MarkdownBlock {
  readonly kind: 'text' | 'list' | 'other';
  readonly text: string;
}

const block = (text: string, kind: MarkdownBlock['kind'] = 'text'): readonly MarkdownBlock[] =>
  text === '' ? [] : [{ kind, text }];

/**
 * Converts the body of a page to Markdown. Macros that generate lists, such as the table of contents, are dropped;
 * unknown macros are replaced by the text of their bodies.
 */
export const storageToMarkdown = (storage: string): string => joined(blocksOf(parseStorage(storage)));

const joined = (blocks: readonly MarkdownBlock[]): string => blocks.map(({ text }) => text).join('\n\n');

function blocksOf(nodes: readonly StorageNode[]): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let inline = '';
  const flush = () => {
    blocks.push(...block(asParagraph(tidyLines(inline))));
    inline = '';
  };
  for (const node of nodes) {
    if (!isElement(node) || isInline(node)) inline += inlineText(node);
    else {
      flush();
      blocks.push(...blocksOfElement(node));
    }
  }
  flush();
  return blocks;
}

/** Escapes text that Markdown would interpret as a heading, a rule or a code fence. */
const asParagraph = (text: string): string => text.replaceAll(/^(#{1,6}\s|```|~~~|(?:-{3,}|={3,})$)/gm, '\\$1');

function blocksOfElement(element: StorageElement): readonly MarkdownBlock[] {
  const level = /^h([1-6])$/.exec(element.name)?.[1];
  // Level 1 is reserved for the page title.
  if (level !== undefined) {
    const text = oneLine(element.children.map(inlineText).join(''));
    return text === '' ? [] : block(`${'#'.repeat(Math.min(6, Number(level) + 1))} ${text}`, 'other');
  }
  switch (element.name) {
    case 'ul':
    case 'ol':
      return block(listLines(element), 'list');
    case 'ac:task-list':
      return block(elementsOf(element).map(taskLines).filter(Boolean).join('\n'), 'list');
    case 'pre':
      return block(fenced(rawText(element)), 'other');
    case 'blockquote':
      return quote(blocksOf(element.children));
    case 'table':
      return isDataTable(element)
        ? block(markdownTable(element, cellText), 'other')
        : rowsOf(element).flatMap((cells) => cells.flatMap(({ children }) => blocksOf(children)));
    case 'ac:structured-macro':
    case 'ac:macro':
      return macroBlocks(element);
    case 'ac:adf-extension':
      return extensionBlocks(element);
    case 'hr':
    case 'script':
    case 'style':
    case 'ac:adf-attribute':
    case 'ac:task-id':
      return [];
    default:
      return blocksOf(element.children);
  }
}

const PANELS: Readonly<Record<string, string>> = {
  info: 'Info',
  note: 'Note',
  tip: 'Tip',
  warning: 'Warning',
  success: 'Success',
  error: 'Error',
};

function macroBlocks(macro: StorageElement): readonly MarkdownBlock[] {
  const name = macro.attributes['ac:name'] ?? '';
  const body = bodyOf(macro);
  if (body === undefined || name === 'style') return [];
  const title = parameterOf(macro, 'title');
  const panel = PANELS[name];
  if (panel !== undefined) return panelBlocks(panel, title, blocksOf(body.children));
  if (body.name === 'ac:rich-text-body') {
    const heading = title === '' ? [] : block(`**${title}**`);
    return [...(TITLED.has(name) ? heading : []), ...blocksOf(body.children)];
  }
  const text = rawText(body);
  if (name === 'markdown') return block(text.trim());
  if (name === 'html') return block(asParagraph(plainText(parseStorage(text))));
  if (!CODE.has(name)) return block(asParagraph(tidyLines(text)));
  const language = parameterOf(macro, 'language').replaceAll(/[^\w+#.-]/g, '');
  return [...(title === '' ? [] : block(`**${title}**`)), ...block(fenced(text, language), 'other')];
}

const TITLED = new Set(['expand', 'ui-expand', 'panel', 'section', 'details', 'ui-tab']);
const CODE = new Set(['code', 'noformat', 'plantuml', 'mermaid', 'mermaid-macro']);

function panelBlocks(kind: string, title: string, content: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  if (content.length === 0 && title === '') return [];
  return quote([...block(`**${title === '' ? kind : `${kind}: ${title}`}**`), ...content]);
}

const quote = (content: readonly MarkdownBlock[]): readonly MarkdownBlock[] =>
  content.length === 0 ? [] : block(joined(content).replaceAll(/^/gm, '> ').replaceAll(/^> $/gm, '>'), 'other');

/** Content of the cloud editor that the storage format cannot express; it comes with a fallback in that format. */
function extensionBlocks(extension: StorageElement): readonly MarkdownBlock[] {
  const node = childOf(extension, 'ac:adf-node');
  const fallback = childOf(extension, 'ac:adf-fallback');
  const blocks = node === undefined ? [] : nodeBlocks(node);
  return blocks.length > 0 || fallback === undefined ? blocks : blocksOf(fallback.children);
}

function nodeBlocks(node: StorageElement): readonly MarkdownBlock[] {
  const content = elementsOf(node).flatMap((child): readonly MarkdownBlock[] => {
    if (child.name === 'ac:adf-content') return blocksOf(child.children);
    return child.name === 'ac:adf-node' ? nodeBlocks(child) : [];
  });
  if (node.attributes['type'] === 'decision-item') {
    return block(content.map(({ text }) => `- Decision: ${oneLine(text)}`).join('\n'), 'list');
  }
  if (node.attributes['type'] !== 'panel') return content;
  const kind = findBelow(node, ({ attributes }) => attributes['key'] === 'panel-type');
  return panelBlocks(PANELS[kind === undefined ? '' : rawText(kind).trim()] ?? 'Note', '', content);
}

function listLines(list: StorageElement): string {
  let number = Number.parseInt(list.attributes['start'] ?? '1', 10) || 1;
  return elementsOf(list)
    .map((item) => listItem(list.name === 'ol' ? `${number++}. ` : '- ', blocksOfItem(item)))
    .filter((line) => line !== '')
    .join('\n');
}

// Lists nested directly in lists are invalid but common.
const blocksOfItem = (item: StorageElement): readonly MarkdownBlock[] =>
  item.name === 'li' ? blocksOf(item.children) : blocksOfElement(item);

function taskLines(task: StorageElement): string {
  const body = childOf(task, 'ac:task-body');
  if (body === undefined) return '';
  const status = childOf(task, 'ac:task-status');
  const isDone = status !== undefined && rawText(status).trim() === 'complete';
  return listItem(`- [${isDone ? 'x' : ' '}] `, blocksOf(body.children), 2);
}

function listItem(marker: string, blocks: readonly MarkdownBlock[], indent = marker.length): string {
  const text = blocks.map(({ text, kind }, at) => (at === 0 ? '' : kind === 'list' ? '\n' : '\n\n') + text).join('');
  return text === '' ? '' : marker + text.replaceAll(/\n(?=[^\n])/g, `\n${' '.repeat(indent)}`);
}

/** The blocks of a table cell, joined into one line. */
const cellText = (cell: StorageElement): string =>
  blocksOf(cell.children)
    .map(({ text, kind }) =>
      oneLine(kind === 'list' ? text.replaceAll(/(^|\n)[ \t]*(?:- (?:\[ \] )?|\d+\. )/g, '; ').slice(2) : text),
    )
    .join('; ');

function fenced(code: string, language = ''): string {
  const lines = code.trimEnd().replace(/^(?:[ \t]*\n)+/, '');
  if (lines === '') return '';
  const longest = [...lines.matchAll(/`+/g)].reduce((max, [run]) => Math.max(max, run.length), 0);
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${lines}\n${fence}`;
}
