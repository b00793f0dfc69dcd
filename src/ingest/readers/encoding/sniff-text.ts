import { isMailbox } from '../mail/separate-mails.ts';
import { isManPage } from '../man/is-man-page.ts';
import { sniffDialect } from '../plain/csv-dialect.ts';

export interface SniffHints {
  /** The format according to name or media type, when it is a readable one. */
  readonly named: string | undefined;
  /** False when the text is only the beginning of the file. */
  readonly isWhole: boolean;
}

/** Text formats without a signature, which any text may have. */
const SHAPELESS = new Set(['txt', 'html', 'csv', 'tsv', 'json', 'jsonl']);

/**
 * The format of a text. HTML, manual pages, and JSON or tables named as plain text, are recognised by their content; Markdown and
 * source code look like any text, so for these the name decides.
 */
export function sniffText(text: string, { named: given, isWhole }: SniffHints): string {
  if ((given === undefined || given === 'txt' || given === 'man') && isManPage(text)) return 'man';
  const named = given === 'man' ? 'txt' : given;
  if (isHtmlDocument(text))
    return named === 'md' || named === undefined || SHAPELESS.has(named) || named === 'xml' ? 'html' : named;
  const openDocument = flatOpenDocument(text);
  if (openDocument !== undefined) return openDocument;
  if (isDrawing(text) && (named === undefined || SHAPELESS.has(named) || named === 'xml')) return 'svg';
  if (named !== undefined && named !== 'txt') return named;
  if (isWhole && isJson(text)) return 'json';
  if (isJsonLines(text)) return 'jsonl';
  const table = tableType(text);
  if (table !== undefined) return table;
  if (named === 'txt') return 'txt';
  if (/^BEGIN:VCALENDAR\s/i.test(text)) return 'ics';
  if (isMail(text)) return isMailbox(text, isWhole) ? 'mbox' : 'eml';
  return languageOf(text) ?? (isMarkdown(text) ? 'md' : 'txt');
}

const isHtmlDocument = (text: string): boolean =>
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)*(?:<!doctype\s+html\b|<html\b|<head\b[^>]*>|<body\b)/i.test(
    text,
  );

const isDrawing = (text: string): boolean =>
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)*(?:<!doctype\s+svg\b|<svg\b)/i.test(text);

/** The type of an OpenDocument file that is one XML file. */
function flatOpenDocument(text: string): string | undefined {
  const head = /^\s*(?:<\?xml[^>]*>\s*)?<office:document\b[^>]*/.exec(text.slice(0, 20_000))?.[0];
  const kind =
    head && /\bmimetype="application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)\b/.exec(head)?.[1];
  return kind ? { text: 'odt', spreadsheet: 'ods', presentation: 'odp' }[kind] : undefined;
}

/** Whether the text begins with the mandatory headers of a mail and nothing but headers. */
function isMail(text: string): boolean {
  const head = /^(?:From [^\n]*\n)?((?:[A-Za-z][\w-]{1,60}:[^\n]*\n(?:[ \t][^\n]*\n)*){3,200})(?:\n|$)/.exec(
    text.slice(0, 60_000),
  )?.[1];
  if (head === undefined || !/^from:/im.test(head)) return false;
  return (
    /^(?:received|mime-version|message-id|return-path):/im.test(head) ||
    (/^subject:/im.test(head) && /^date:/im.test(head))
  );
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isJsonLines(text: string): boolean {
  const lines = text.split('\n', 4).slice(0, 3);
  return lines.length === 3 && lines.every((line) => /^\s*\{/.test(line) && isJson(line));
}

/** Deliberately strict: prose with commas must not become a table. */
function tableType(text: string): string | undefined {
  const lines = text.split('\n', 30).filter((line) => line.trim() !== '');
  if (lines.length < 4 || lines.some((line) => line.length > 2_000)) return undefined;
  const { delimiter, columns, agreement } = sniffDialect(lines.slice(0, -1).join('\n'));
  const needed = delimiter === '\t' ? 2 : 3;
  if (columns < needed || agreement < 1 || /^\s*\|/.test(text)) return undefined;
  // In prose a space follows the comma.
  const delimiters = text.split(delimiter).length - 1;
  const spaced = text.split(`${delimiter} `).length - 1;
  if (spaced > delimiters / 2 || /[,;]$/.test(lines[0] ?? '')) return undefined;
  return delimiter === '\t' ? 'tsv' : 'csv';
}

const SHEBANGS: readonly (readonly [RegExp, string])[] = [
  [/python/, 'py'],
  [/\b(?:node|deno|bun)\b/, 'js'],
  [/\b(?:ba|z|da)?sh\b/, 'sh'],
  [/perl/, 'pl'],
  [/ruby/, 'rb'],
];

function languageOf(text: string): string | undefined {
  if (/^\s*<\?xml\b/.test(text)) return 'xml';
  const shebang = /^#!([^\n]+)/.exec(text)?.[1];
  return shebang === undefined ? undefined : SHEBANGS.find(([pattern]) => pattern.test(shebang))?.[1];
}

const MARKDOWN_SIGNS: readonly RegExp[] = [
  /^#{1,6}\s+\S/m,
  /^```/m,
  /\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)/,
  /^[ \t]{0,3}\|?[ \t]{0,9}:?-{3,200}:?[ \t]{0,9}\|/m,
  /\*\*[^*\n]{1,200}\*\*/,
  /^---\n[\s\S]{1,2000}?\n---\n/,
];

const isMarkdown = (text: string): boolean =>
  /^#{1,6}\s+\S/.test(text) || MARKDOWN_SIGNS.filter((sign) => sign.test(text)).length >= 2;
