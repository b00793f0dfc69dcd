import type { ContentBlock, ImageContent } from '@modelcontextprotocol/server';
import { detectPicture } from '../shared/detect-picture.ts';
import type { OutputFile } from '../toolbox/tool.ts';
import { fileUri } from './document-uri.ts';

/**
 * Pictures beyond these limits are only linked. Claude Desktop refuses a result of more than 1,048,576 characters, and
 * with it the text; the rest is for that, the data and the links.
 */
const MAX_PICTURE_CHARACTERS = 900_000;
const MAX_PICTURES = 8;

/**
 * Converts files made by a tool to MCP content: pictures that every model accepts as images, and a link to each file.
 * An image in another format, such as SVG, would make the host's conversation unusable.
 */
export function fileContent(files: readonly OutputFile[]): ContentBlock[] {
  let left = MAX_PICTURE_CHARACTERS;
  const fits = ({ data }: ImageContent): boolean => {
    if (data.length > left) return false;
    left -= data.length;
    return true;
  };
  return [...files.flatMap(toImage).filter(fits).slice(0, MAX_PICTURES), ...files.flatMap(toLink)];
}

function toImage({ bytes }: OutputFile): ImageContent[] {
  const mimeType = bytes && bytes.byteLength <= MAX_PICTURE_CHARACTERS ? detectPicture(bytes) : undefined;
  if (bytes === undefined || mimeType === undefined) return [];
  return [{ type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType }];
}

function toLink({ name, mediaType, size, runId }: OutputFile): ContentBlock[] {
  if (runId === undefined) return [];
  return [{ type: 'resource_link', uri: fileUri(runId, name), name, mimeType: mediaType, size }];
}
