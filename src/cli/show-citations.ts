import type { CitedSource } from './client.ts';
import { paragraph, place } from './layout.ts';
import type { Output } from './output.ts';

const LINES_PER_QUOTE = 6;

/** Below an answer: each source with its quoted passages and where they stand. */
export function showCitations(citations: readonly CitedSource[], output: Output): void {
  for (const { number, title, documentId, quotes } of citations) {
    output.print();
    output.print(
      `${output.style('cyan', `[${number}]`)} ${output.style('bold', title)}  ${output.style('dim', documentId)}`,
    );
    for (const quote of quotes) {
      const where = [place(quote), `characters ${quote.start}-${quote.end}`].filter((part) => part !== '').join(', ');
      output.print(paragraph(`“${quote.text}”`, { width: output.width, indent: '    ', maxLines: LINES_PER_QUOTE }));
      output.print(output.style('dim', `    ${where}`));
    }
  }
}
