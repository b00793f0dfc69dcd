import type { ContentBlock } from '@modelcontextprotocol/server';
import type { OutputFile } from '../toolbox/tool.ts';

/** Larger files are named in the text and no more: a host would hand them to a model as they are. */
const MAX_BYTES = 1_000_000;

/** Files that a tool made, as far as hosts can show them: pictures as pictures, the rest as resources within the result. */
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
