import { readFile } from 'node:fs/promises';
import { checkLimits } from '../citations/answer-check.ts';
import type { Json } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { decodeText } from '../ingest/readers/encoding/decode-text.ts';
import type { AnswerCheckRecord } from '../toolbox/answer-check-record.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { formatLocation, paragraph, visible, visibleLine } from './layout.ts';
import type { Output } from './output.ts';
import { readInput } from './read-input.ts';
import { verdictWords } from './show-citations.ts';
import { withClient } from './with-client.ts';

interface CheckOptions {
  /** The n-th source corresponds to the marker `[n]`. */
  readonly source?: readonly string[];
  readonly document?: readonly string[];
  readonly asOf?: string;
  /** False with --no-search. */
  readonly search: boolean;
  readonly json?: boolean;
}

const LINES_PER_QUOTE = 4;
/** UTF-16 has two bytes for each character, UTF-8 up to three. */
const MAX_BYTES = 4 * checkLimits.answer;
const IDENTIFIER = /^[0-9a-f][0-9a-f-]{3,63}$/i;

/** `citewell check`: which statements of a text the documents support. Fails when one is unsupported. */
export async function check(
  file: string | undefined,
  options: CheckOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const answer = await readText(file, context);
  const sources: Json[] = [];
  for (const given of options.source ?? []) {
    sources.push(IDENTIFIER.test(given) ? { id: given } : { text: await readText(given, context) });
  }
  return withClient(context, async (client) => {
    const record = await client.check(
      {
        answer,
        ...(sources.length > 0 && { sources }),
        ...(options.document && { document_ids: [...options.document] }),
        ...(options.asOf !== undefined && { as_of: options.asOf }),
        search: options.search,
      },
      context.interruption.stop,
    );
    if (options.json) context.output.print(JSON.stringify(client.page === undefined ? relative(record) : record));
    else show(record, context.output, client.page);
    return record.unsupported.length > 0 || record.unchecked_from !== undefined ? exitCodes.failure : exitCodes.ok;
  });
}

/** Makes links relative, because without a lasting server an absolute one would stop working. */
function relative({ statements, ...record }: AnswerCheckRecord): AnswerCheckRecord {
  return {
    ...record,
    statements: statements.map(({ evidence, ...statement }) => {
      if (evidence?.link === undefined) return evidence === undefined ? statement : { ...statement, evidence };
      const { pathname, search } = new URL(evidence.link);
      return { ...statement, evidence: { ...evidence, link: pathname + search } };
    }),
  };
}

/** A PDF may consist of printable characters. */
const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-';

async function readText(file: string | undefined, context: CommandContext): Promise<string> {
  const name = file === undefined || file === '-' ? 'Standard input' : file;
  const tooLong = () =>
    new ServiceError(
      'invalid_request',
      `${name} is too long: at most ${checkLimits.answer} characters can be checked at once.`,
    );
  const bytes = name === file ? await readBytes(name) : await readTyped(tooLong, context);
  if (bytes.byteLength > MAX_BYTES) throw tooLong();
  const decoded = isPdf(bytes) ? undefined : decodeText(bytes);
  if (decoded === undefined)
    throw new ServiceError('invalid_request', `${name} is not text. Give a text or Markdown file.`);
  return decoded.text;
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new ServiceError('invalid_request', `${file} cannot be read. Give a file, or - for standard input.`, {
      cause,
    });
  }
}

/** What is piped in, or typed at a terminal, where nothing else would say what the command waits for. */
function readTyped(tooLong: () => Error, { output, interruption }: CommandContext): Promise<Uint8Array> {
  if (process.stdin.isTTY) output.note('Type or paste the text to check, then a line break and Ctrl-D.');
  return readInput(process.stdin, { stop: interruption.stop, maxBytes: MAX_BYTES, tooLong });
}

function show(
  { statements, supported, total, notes }: AnswerCheckRecord,
  output: Output,
  server: string | undefined,
): void {
  for (const { text, verdict, evidence, citations, contradicted, missing_words: missing } of statements) {
    const [colour, words] = verdictWords[verdict];
    const marks = citations.map(({ marker }) => `[${marker}]`).join('');
    output.print(`${output.style(colour, words)}${marks === '' ? '' : `  ${output.style('cyan', marks)}`}`);
    output.print(paragraph(text, { width: output.width, indent: '  ' }));
    if (evidence === undefined) {
      output.print();
      continue;
    }
    const {
      quote,
      title,
      page = null,
      heading_path: headingPath,
      start,
      end,
      link,
      document_type: documentType,
    } = evidence;
    const closest = contradicted ? 'says otherwise: ' : 'closest: ';
    const name = verdict === 'not_found' ? closest : '';
    output.print(paragraph(`${name}“${quote}”`, { width: output.width, indent: '    ', maxLines: LINES_PER_QUOTE }));
    const where = [
      output.link(visibleLine(title), server && link),
      formatLocation({ page, headingPath, documentType }),
      `characters ${start}-${end}`,
    ];
    output.print(output.style('dim', `    ${where.filter((part) => part !== '').join(', ')}`));
    if (verdict !== 'verbatim' && missing.length > 0)
      output.print(output.style('dim', `    missing: ${visibleLine(missing.join(', '))}`));
    if (server !== undefined && link !== undefined) output.print(output.style('dim', `    ${visible(link)}`));
    output.print();
  }
  // The notes say when there are no statements.
  if (total > 0) output.print(supportedOf(supported, total));
  for (const note of notes) output.note(note);
}

export const supportedOf = (supported: number, total: number): string =>
  `${supported} of ${total} ${total === 1 ? 'statement is' : 'statements are'} supported.`;
