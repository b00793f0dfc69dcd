import { ServiceError } from '../../../errors.ts';
import { cleanText } from '../encoding/clean-text.ts';

export interface PptSlide {
  readonly title: string;
  readonly texts: readonly string[];
  readonly notes: string;
}

interface PptRecord {
  readonly type: number;
  readonly instance: number;
  readonly isContainer: boolean;
  readonly data: Buffer;
}

const RECORD = {
  userEdit: 0x0ff5,
  persistDirectory: 0x1772,
  slideList: 0x0ff0,
  slidePersist: 0x03f3,
  slideAtom: 0x03ef,
  notesAtom: 0x03f1,
  textHeader: 0x0f9f,
  textCharacters: 0x0fa0,
  textBytes: 0x0fa8,
} as const;
const SLIDES = 0;
const NOTES = 2;
const MAX_EDITS = 10_000;
const MAX_DEPTH = 60;
const MAX_RECORDS = 2_000_000;

/** The slides as last saved: the file keeps earlier states, and a chain of directories lists the current parts. */
export function readPptSlides(stream: Buffer, lastEdit: number, fileName: string): PptSlide[] {
  const damaged = () => new ServiceError('invalid_request', `${fileName} is damaged: its slides cannot be found.`);
  try {
    const { places: offsets, documentId } = readPersistDirectory(stream, lastEdit);
    const document = recordAt(stream, offsets.get(documentId) ?? -1);
    if (document === undefined) throw damaged();
    const lists = [...recordsIn(document.data)].filter(({ type }) => type === RECORD.slideList);
    const notes = new Map(
      entriesOf(lists.find(({ instance }) => instance === NOTES)).flatMap(({ persistId }) => {
        const part = recordAt(stream, offsets.get(persistId) ?? -1);
        return part === undefined ? [] : [notesOf(part)];
      }),
    );
    return entriesOf(lists.find(({ instance }) => instance === SLIDES)).map(({ persistId, slideId, texts }) => {
      const part = recordAt(stream, offsets.get(persistId) ?? -1);
      const all = [...texts, ...(part === undefined ? [] : textsBelow(part.data))].filter(({ text }) => text !== '');
      const title = all.find(({ kind }) => TITLES.has(kind));
      return {
        title: title?.text ?? '',
        texts: all.filter((text) => text !== title).map(({ text }) => text),
        notes: notes.get(slideId) ?? '',
      };
    });
  } catch (error) {
    throw error instanceof RangeError ? damaged() : error;
  }
}

/** Offset of each part; a later save overrides an earlier one. */
function readPersistDirectory(stream: Buffer, lastEdit: number) {
  const offsets = new Map<number, number>();
  let documentId = 0;
  const visited = new Set<number>();
  for (let offset = lastEdit; offset !== 0 && !visited.has(offset) && visited.size < MAX_EDITS; ) {
    visited.add(offset);
    const edit = recordAt(stream, offset);
    if (edit?.type !== RECORD.userEdit) break;
    if (documentId === 0) documentId = edit.data.readUInt32LE(16);
    const directory = recordAt(stream, edit.data.readUInt32LE(12));
    if (directory?.type === RECORD.persistDirectory) addOffsets(offsets, directory.data);
    offset = edit.data.readUInt32LE(8);
  }
  return { places: offsets, documentId };
}

function addOffsets(offsets: Map<number, number>, data: Buffer): void {
  for (let at = 0; at + 4 <= data.length; ) {
    const head = data.readUInt32LE(at);
    const first = head & 0xfffff;
    const count = head >>> 20;
    at += 4;
    for (let index = 0; index < count && at + 4 <= data.length; index++, at += 4) {
      if (!offsets.has(first + index)) offsets.set(first + index, data.readUInt32LE(at));
    }
  }
}

interface PptText {
  /** Type of the text: 0 and 6 a title, 2 notes, others body text. */
  readonly kind: number;
  readonly text: string;
}

const TITLES = new Set([0, 6]);
const NOTES_TEXT = 2;
const OTHER_TEXT = 4;

/** The slides of a list with the texts of their outlines. */
function entriesOf(list: PptRecord | undefined) {
  const entries: { persistId: number; slideId: number; texts: PptText[] }[] = [];
  if (list === undefined) return entries;
  let kind = OTHER_TEXT;
  for (const record of recordsIn(list.data)) {
    if (record.type === RECORD.slidePersist)
      entries.push({ persistId: record.data.readUInt32LE(0), slideId: record.data.readUInt32LE(12), texts: [] });
    else if (record.type === RECORD.textHeader) kind = record.data.readUInt32LE(0);
    else {
      const text = textOf(record);
      if (text !== undefined) entries.at(-1)?.texts.push({ kind, text });
    }
  }
  return entries;
}

function notesOf(part: PptRecord): readonly [number, string] {
  const atom = [...recordsIn(part.data)].find(({ type }) => type === RECORD.notesAtom);
  const texts = textsBelow(part.data).filter(({ kind }) => kind === NOTES_TEXT);
  return [atom?.data.readUInt32LE(0) ?? -1, texts.map(({ text }) => text).join('\n')];
}

/** All texts in the shapes below. */
function textsBelow(data: Buffer): PptText[] {
  const texts: PptText[] = [];
  let left = MAX_RECORDS;
  const visit = (part: Buffer, depth: number): void => {
    let kind = OTHER_TEXT;
    for (const record of recordsIn(part)) {
      if (--left < 0) return;
      if (record.isContainer) {
        if (depth < MAX_DEPTH) visit(record.data, depth + 1);
      } else if (record.type === RECORD.textHeader && record.data.length >= 4) kind = record.data.readUInt32LE(0);
      else {
        const text = textOf(record);
        if (text !== undefined) texts.push({ kind, text });
      }
    }
  };
  visit(data, 0);
  return texts;
}

function textOf({ type, data }: PptRecord): string | undefined {
  if (type !== RECORD.textCharacters && type !== RECORD.textBytes) return undefined;
  const text = data.toString(type === RECORD.textCharacters ? 'utf16le' : 'latin1');
  // Paragraphs end with a carriage return, lines within them with a vertical tab. A lone asterisk is a page number
  // placeholder.
  const clean = cleanText(text.replaceAll('\v', '\r')).trim();
  return clean === '*' ? '' : clean;
}

function recordAt(stream: Buffer, offset: number): PptRecord | undefined {
  return offset < 0 || offset + 8 > stream.length
    ? undefined
    : recordsIn(stream.subarray(offset)).next().value || undefined;
}

function* recordsIn(data: Buffer): Generator<PptRecord, void> {
  for (let at = 0; at + 8 <= data.length; ) {
    const head = data.readUInt16LE(at);
    const length = data.readUInt32LE(at + 4);
    yield {
      type: data.readUInt16LE(at + 2),
      instance: head >> 4,
      isContainer: (head & 0xf) === 0xf,
      data: data.subarray(at + 8, at + 8 + length),
    };
    at += 8 + length;
  }
}
