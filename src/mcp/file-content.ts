import type { ContentBlock } from '@modelcontextprotocol/server';
import { detectPicture } from '../shared/detect-picture.ts';
import type { OutputFile } from '../toolbox/tool.ts';
import { fileUri } from './document-uri.ts';

/** Pictures beyond these limits are only linked: hosts pass them to models, which refuse large ones. */
const MAX_PICTURE_BYTES = 1_000_000;
const MAX_PICTURES = 8;

/**
 * Converts files made by a tool to MCP content: pictures that every model accepts as images, and a link to each file.
 * An image in another format, such as SVG, would make the host's conversation unusable.
 */
export function fileContent(files: readonly OutputFile[]): ContentBlock[] {
  return [...files.flatMap(toImage).slice(0, MAX_PICTURES), ...files.flatMap(toLink)];
}

function toImage({ bytes }: OutputFile): ContentBlock[] {
  const mimeType = bytes && bytes.byteLength <= MAX_PICTURE_BYTES ? detectPicture(bytes) : undefined;
  if (bytes === undefined || mimeType === undefined) return [];
  return [{ type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType }];
}

function toLink({ name, mediaType, size, runId }: OutputFile): ContentBlock[] {
  if (runId === undefined) return [];
  return [{ type: 'resource_link', uri: fileUri(runId, name), name, mimeType: mediaType, size }];
}
