import type { ContentBlock } from '@modelcontextprotocol/server';
import type { OutputFile } from '../toolbox/tool.ts';

/** Larger files are only mentioned in the text, because hosts pass file content on to models. */
const MAX_BYTES = 1_000_000;

/** Converts files made by a tool to MCP content: images as images, others as embedded resources. */
export function fileContent(files: readonly OutputFile[]): ContentBlock[] {
  return files.filter(({ bytes }) => bytes.byteLength <= MAX_BYTES).map(toContent);
}

function toContent({ name, mediaType, bytes }: OutputFile): ContentBlock {
  const data = Buffer.from(bytes).toString('base64');
  if (mediaType.startsWith('image/')) return { type: 'image', data, mimeType: mediaType };
  const uri = `citewell://run/${name.split('/').map(encodeURIComponent).join('/')}`;
  const isText = /^text\/|json|xml/.test(mediaType);
  return {
    type: 'resource',
    resource: isText
      ? { uri, mimeType: mediaType, text: Buffer.from(bytes).toString() }
      : { uri, mimeType: mediaType, blob: data },
  };
}
