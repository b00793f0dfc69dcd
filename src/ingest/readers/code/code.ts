import { ServiceError } from '../../../errors.ts';
import { decodeText } from '../encoding/decode-text.ts';
import type { Block, Reader } from '../reader.ts';
import { outlineBlocks } from './code-outline.ts';
import { syntaxes } from './code-syntax.ts';

/** Source code, unchanged; its functions and classes are sections under their names. */
export const codeReader: Reader = {
  async read({ bytes, fileName, type: language }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    return {
      text: decoded.text,
      blocks: blocksOf(decoded.text, language),
      pages: [],
      metadata: { language },
    };
  },
};

function blocksOf(text: string, language: string): Block[] {
  const syntax = syntaxes[language];
  return (syntax && outlineBlocks(text, syntax)) ?? codeBlocks(text);
}

/**
 * A block begins at an unindented line after a blank line, unless it only closes a bracket or the lines before are
 * comments or decorators that belong to it.
 */
export function codeBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let start = -1;
  let end = 0;
  let isAfterBlank = false;
  for (const match of text.matchAll(/[^\n]+/g)) {
    const line = match[0];
    // `[^\n]+` skips empty lines; the gap in offsets reveals them.
    if (line.trim() === '' || (end > 0 && match.index > end + 1)) isAfterBlank = true;
    if (line.trim() === '') continue;
    const isTopLevel = /^[^\s})\]]/.test(line) && !/^(?:end\b|else\b|elif\b|except\b|finally\b|catch\b)/.test(line);
    if (start === -1) start = match.index;
    else if (isAfterBlank && isTopLevel) {
      blocks.push({ kind: 'code', start, end });
      start = match.index;
    }
    end = match.index + line.trimEnd().length;
    isAfterBlank = false;
  }
  if (start !== -1) blocks.push({ kind: 'code', start, end });
  return blocks;
}
