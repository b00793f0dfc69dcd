import type { ZipPackage } from '../containers/zip-package.ts';
import { cleanLine } from '../encoding/clean-text.ts';
import { type HtmlElement, textBelow } from '../html/html-nodes.ts';
import { attributeOf, elementsBelow, elementsOf, parseXml } from '../xml/xml.ts';
import { commentText } from './comment-text.ts';
import type { Relation } from './package-relations.ts';

/** The comments on a slide and the answers to them, in the order of the file. */
export function slideComments(file: ZipPackage, relations: readonly Relation[], fileName: string): string[] {
  const found: string[] = [];
  for (const { type, target } of relations) {
    const text = type === 'comments' ? file.text(target) : undefined;
    if (text === undefined) continue;
    const authors = authorsOf(file, fileName);
    for (const comment of elementsBelow(parseXml(text, fileName), 'cm')) {
      found.push(...toText(comment, authors));
      for (const reply of elementsBelow(comment, 'reply')) found.push(...toText(reply, authors));
    }
  }
  return found;
}

/** The text of a comment is an element of its own before 2021, and a text body since. */
function toText(comment: HtmlElement, authors: ReadonlyMap<string, string>): string[] {
  const [body] = [...elementsOf(comment, 'text'), ...elementsOf(comment, 'txBody')];
  const text = body === undefined ? '' : cleanLine(textBelow(body));
  return text === '' ? [] : [commentText(text, authors.get(attributeOf(comment.attribs, 'authorId') ?? ''))];
}

function authorsOf(file: ZipPackage, fileName: string): ReadonlyMap<string, string> {
  const authors = new Map<string, string>();
  for (const [part, element] of [
    ['ppt/commentAuthors.xml', 'cmAuthor'],
    ['ppt/authors.xml', 'author'],
  ] as const) {
    const text = file.text(part);
    if (text === undefined) continue;
    for (const { attribs } of elementsBelow(parseXml(text, fileName), element))
      authors.set(attributeOf(attribs, 'id') ?? '', attributeOf(attribs, 'name') ?? '');
  }
  return authors;
}
