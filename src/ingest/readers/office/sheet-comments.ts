import type { ZipPackage } from '../containers/zip-package.ts';
import { cleanLine } from '../encoding/clean-text.ts';
import { textBelow } from '../html/html-nodes.ts';
import { attributeOf, elementsBelow, firstBelow, parseXml } from '../xml/xml.ts';
import { commentText } from './comment-text.ts';
import { relationsOf } from './package-relations.ts';

/** The comments and notes on the cells of a sheet, in the order of the file. */
export function sheetComments(file: ZipPackage, sheet: string, fileName: string): string[] {
  const relations = relationsOf(file, sheet, fileName);
  const part = (type: string) => {
    const target = relations.find((relation) => relation.type === type)?.target;
    const text = target === undefined ? undefined : file.text(target);
    return text === undefined ? undefined : parseXml(text, fileName);
  };
  const threads = part('threadedComment');
  const found: string[] = [];
  const threaded = new Set<string>();
  if (threads !== undefined) {
    const people = peopleOf(file, fileName);
    for (const comment of elementsBelow(threads, 'threadedComment')) {
      const cell = attributeOf(comment.attribs, 'ref') ?? '';
      threaded.add(cell);
      const text = cleanLine(textBelow(firstBelow(comment, 'text') ?? comment));
      const author = people.get(attributeOf(comment.attribs, 'personId') ?? '');
      if (text !== '') found.push(commentText(text, author, cell));
    }
  }
  const notes = part('comments');
  if (notes === undefined) return found;
  const authors = [...elementsBelow(notes, 'author')].map((author) => cleanLine(textBelow(author)));
  for (const comment of elementsBelow(notes, 'comment')) {
    const cell = attributeOf(comment.attribs, 'ref') ?? '';
    // Beside a thread Excel keeps a note that explains threads to older versions.
    if (threaded.has(cell)) continue;
    const author = authors[Number(attributeOf(comment.attribs, 'authorId') ?? -1)] ?? '';
    const text = cleanLine([...elementsBelow(comment, 't')].map(textBelow).join(''));
    // Excel begins a note with the name of its author.
    const own = author !== '' && text.startsWith(`${author}:`) ? text.slice(author.length + 1).trim() : text;
    if (own !== '') found.push(commentText(own, author, cell));
  }
  return found;
}

function peopleOf(file: ZipPackage, fileName: string): ReadonlyMap<string, string> {
  const text = file.text('xl/persons/person.xml');
  if (text === undefined) return new Map();
  return new Map(
    [...elementsBelow(parseXml(text, fileName), 'person')].map(({ attribs }) => [
      attributeOf(attribs, 'id') ?? '',
      attributeOf(attribs, 'displayName') ?? '',
    ]),
  );
}
