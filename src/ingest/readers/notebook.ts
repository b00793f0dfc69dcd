import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { createTextBuilder, type TextBuilder } from './build-text.ts';
import { cleanText } from './encoding/clean-text.ts';
import { decodeText } from './encoding/decode-text.ts';
import { markdownBlocks } from './markdown/markdown.ts';
import type { Reader } from './reader.ts';

const lines = z.union([z.string(), z.array(z.string()).transform((all) => all.join(''))]);
const output = z.looseObject({
  text: lines.optional(),
  data: z.looseObject({ 'text/plain': lines.optional() }).optional(),
});
const cell = z.looseObject({
  cell_type: z.string(),
  source: lines.default(''),
  outputs: z.array(output).default([]),
});
const notebook = z.looseObject({
  cells: z.array(cell),
  metadata: z.looseObject({ title: z.string().optional() }).optional(),
});

const MAX_OUTPUT = 20_000;

/** Jupyter notebooks cell by cell: text as Markdown, code as code, and the output of the code. */
export const notebookReader: Reader = {
  async read({ bytes, fileName }) {
    const { cells, metadata } = parseNotebook(decodeText(bytes)?.text ?? '', fileName);
    const builder = createTextBuilder();
    for (const { cell_type: kind, source, outputs } of cells) {
      if (kind === 'markdown') addMarkdown(builder, cleanText(source));
      else builder.add(kind === 'code' ? 'code' : 'paragraph', cleanText(source));
      for (const { text, data } of outputs) {
        builder.add('code', cleanText(text ?? data?.['text/plain'] ?? '').slice(0, MAX_OUTPUT));
      }
    }
    const content = builder.finish();
    const heading = content.blocks.find(({ kind }) => kind === 'heading');
    const title = metadata?.title ?? (heading && content.text.slice(heading.start, heading.end));
    return { ...content, ...(title !== undefined && title !== '' && { title }), metadata: {} };
  },
};

function parseNotebook(text: string, fileName: string): z.output<typeof notebook> {
  try {
    return notebook.parse(JSON.parse(text));
  } catch (error) {
    throw new ServiceError(
      'invalid_request',
      `${fileName} is not a readable notebook: it is not JSON with a list of cells (version 4). Save it again in Jupyter.`,
      { cause: error },
    );
  }
}

function addMarkdown(builder: TextBuilder, text: string): void {
  for (const { kind, start, end, level, label } of markdownBlocks(text)) {
    builder.add(kind, label ?? text.slice(start, end), level === undefined ? undefined : { level });
  }
}
