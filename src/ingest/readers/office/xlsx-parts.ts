import { ServiceError } from '../../../errors.ts';
import type { PackageInput, ZipPackage } from '../containers/zip-package.ts';
import { attributeOf, elementsBelow, elementsOf, firstBelow, parseXml, streamXml } from '../xml/xml.ts';
import { builtInFormat } from './number-format.ts';

const MAX_CHARACTERS = 60_000_000;

/** The shared strings, which cells refer to by index. */
export async function readSharedStrings({ file, fileName, signal }: PackageInput, part: string): Promise<string[]> {
  const strings: string[] = [];
  let text = '';
  let characters = 0;
  let isText = false;
  // Phonetic guides for East Asian words are stored beside them and skipped.
  let isPhonetic = false;
  await streamXml(
    { pieces: file.stream(part), fileName, signal },
    {
      open(name) {
        if (name === 'si') text = '';
        else if (name === 't') isText = !isPhonetic;
        else if (name === 'rPh') isPhonetic = true;
      },
      text(data) {
        if (!isText) return;
        text += data;
        characters += data.length;
        if (characters > MAX_CHARACTERS) {
          throw new ServiceError(
            'too_large',
            `${fileName} holds more than ${MAX_CHARACTERS} characters. Split it first.`,
          );
        }
      },
      close(name) {
        if (name === 't') isText = false;
        else if (name === 'rPh') isPhonetic = false;
        else if (name === 'si') strings.push(decodeEscapes(text));
      },
    },
  );
  return strings;
}

/** Characters that XML cannot represent are escaped as `_x000D_`. */
export const decodeEscapes = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

export interface WorkbookStyles {
  /** The number format by style index. */
  readonly patterns: readonly string[];
}

export function readStyles(file: ZipPackage, part: string, fileName: string): WorkbookStyles {
  const text = part === '' ? undefined : file.text(part);
  if (text === undefined) return { patterns: [] };
  const root = parseXml(text, fileName);
  const own = new Map<number, string>();
  for (const { attribs } of elementsBelow(root, 'numFmt')) {
    const pattern = attributeOf(attribs, 'formatCode');
    if (pattern !== undefined && pattern.length < 500) own.set(Number(attributeOf(attribs, 'numFmtId')), pattern);
  }
  const formats = firstBelow(root, 'cellXfs');
  const patterns = (formats === undefined ? [] : elementsOf(formats, 'xf')).map(({ attribs }) => {
    const id = Number(attributeOf(attribs, 'numFmtId') ?? 0);
    return own.get(id) ?? builtInFormat(id);
  });
  return { patterns };
}
