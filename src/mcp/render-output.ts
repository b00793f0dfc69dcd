import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { shortLine, wholeCharacterEnd } from '../shared/text.ts';
import type { ToolErrorCode, ToolOutcome } from '../toolbox/call-tool.ts';
import { fence } from '../toolbox/fence.ts';
import { chunkUri, documentUri } from './document-uri.ts';
import { fileContent } from './file-content.ts';
import { type SourceLink, sourceLink } from './source-link.ts';

/** Maximum length of a result's text and of its structured data. */
export const MAX_CHARACTERS = 40_000;
const MAX_LINKS = 5;
const FENCE_OVERHEAD = 300;

/** Key of the error code in a result's `_meta`. */
const ERROR_META = 'citewell/error';

/**
 * Converts an outcome to MCP content. Some clients show a model only the text and others only the data, so each is
 * self-contained; links to the documents are added.
 */
export function renderOutput(outcome: ToolOutcome): CallToolResult {
  if (outcome.isError) {
    const { code, text } = outcome;
    return {
      isError: true,
      content: [{ type: 'text', text: boundedText(text) }],
      _meta: { [ERROR_META]: { code, retryable: RETRYABLE.has(code) } },
    };
  }
  const { text, structured, sources = [], files = [], isUntrusted = false } = outcome.output;
  const shown = boundedText(text, isUntrusted ? MAX_CHARACTERS - FENCE_OVERHEAD : MAX_CHARACTERS);
  return {
    content: [
      { type: 'text', text: isUntrusted ? fence(shown, 'untrusted') : shown },
      ...fileContent(files),
      ...links(sources.map(sourceLink)),
    ],
    structuredContent: boundedData(structured),
  };
}

const RETRYABLE: ReadonlySet<ToolErrorCode> = new Set(['backend_unavailable', 'timeout', 'rate_limited']);

/** One link per document, to its best passage. */
function links(names: readonly SourceLink[]): ContentBlock[] {
  const best = new Map<string, SourceLink>();
  for (const link of names) {
    if (link.documentId !== undefined && !best.has(link.documentId)) best.set(link.documentId, link);
  }
  return [...best].slice(0, MAX_LINKS).map(([id, { title, chunkId }], index) => ({
    type: 'resource_link',
    uri: chunkId === undefined ? documentUri(id) : chunkUri(id, chunkId),
    name: shortLine(title),
    mimeType: 'text/plain',
    annotations: { priority: Number((1 - index / 10).toFixed(1)) },
  }));
}

const CUT_NOTE = '\n\n(cut here: the result is longer than 40,000 characters. Ask for less, or for a later part.)';

/** Safety limit. Our own tools stay below it and name the call that continues; external tools may exceed it. */
function boundedText(text: string, max = MAX_CHARACTERS): string {
  if (text.length <= max) return text;
  return `${text.slice(0, wholeCharacterEnd(text, max - CUT_NOTE.length))}${CUT_NOTE}`;
}

type Data = { readonly [key: string]: unknown };

/** Shortens the longest strings until the data fits. */
function boundedData(data: Data): Data {
  let fitting = data;
  for (let longest = 20_000; JSON.stringify(fitting).length > MAX_CHARACTERS && longest >= 100; longest /= 2) {
    fitting = shortenStrings(data, longest) as Data;
  }
  return fitting;
}

function shortenStrings(value: unknown, longest: number): unknown {
  if (typeof value === 'string') {
    return value.length <= longest ? value : `${value.slice(0, wholeCharacterEnd(value, longest - 6))} (cut)`;
  }
  if (Array.isArray(value)) return value.map((each) => shortenStrings(each, longest));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortenStrings(each, longest)]));
}
