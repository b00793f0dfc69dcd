import { filePathOf } from '../shared/file-path-of.ts';
import type { Client } from './client.ts';
import type { CitedSource, Verdict } from './from-wire.ts';
import { formatLocation, paragraph, visibleLine } from './layout.ts';
import type { Output } from './output.ts';

const LINES_PER_QUOTE = 6;

/** Colour and wording of each verdict on an answer's statement. */
export const verdictWords = {
  verbatim: ['green', 'supported verbatim'],
  close: ['green', 'supported in other words'],
  elsewhere: ['yellow', 'not supported here, but by another passage that was read'],
  not_found: ['red', 'not supported'],
} as const satisfies Readonly<Record<Verdict, readonly [colour: string, words: string]>>;

/** Lists the sources below an answer, each with its quoted passages and their locations. */
export async function showCitations(citations: readonly CitedSource[], client: Client, output: Output): Promise<void> {
  for (const { number, title, documentId, documentType, quotes, verdict, url } of citations) {
    const file = await sourceOf(client, documentId);
    output.print();
    output.print(
      `${output.style('cyan', `[${number}]`)} ${output.style('bold', output.link(visibleLine(title), client.page && url))}  ${output.style('dim', visibleLine(file))}`,
    );
    if (verdict !== undefined) {
      const [colour, words] = verdictWords[verdict];
      output.print(`    ${output.style(colour, words)}`);
    }
    for (const quote of quotes) {
      const where = [formatLocation({ ...quote, documentType }), `characters ${quote.start}-${quote.end}`]
        .filter((part) => part !== '')
        .join(', ');
      output.print(paragraph(`“${quote.text}”`, { width: output.width, indent: '    ', maxLines: LINES_PER_QUOTE }));
      output.print(output.style('dim', `    ${where}`));
    }
  }
}

/** Where a document came from: its file path or URL, or its identifier if it was uploaded. */
async function sourceOf(client: Client, documentId: string): Promise<string> {
  const { source } = await client.document(documentId).catch(() => ({ source: null }));
  if (typeof source !== 'string') return documentId;
  return filePathOf(source) ?? source;
}
