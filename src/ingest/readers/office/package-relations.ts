import type { ZipPackage } from '../containers/zip-package.ts';
import { attributeOf, elementsBelow, parseXml } from '../xml/xml.ts';

export interface Relation {
  readonly id: string;
  /** The last segment of the type URI, e.g. `worksheet`, `notesSlide`; the same in strict documents. */
  readonly type: string;
  /** The part's full name in the package. */
  readonly target: string;
}

/** Relationships of a part of an Office package to other parts; external targets are left out and never fetched. */
export function relationsOf(file: ZipPackage, part: string, fileName: string): Relation[] {
  const slash = part.lastIndexOf('/');
  const folder = part.slice(0, slash + 1);
  const text = file.text(`${folder}_rels/${part.slice(slash + 1)}.rels`);
  if (text === undefined) return [];
  return [...elementsBelow(parseXml(text, fileName), 'Relationship')].flatMap(({ attribs }) => {
    const target = attributeOf(attribs, 'Target');
    if (target === undefined || attributeOf(attribs, 'TargetMode') === 'External') return [];
    const type = (attributeOf(attribs, 'Type') ?? '').split('/').at(-1) ?? '';
    return [{ id: attributeOf(attribs, 'Id') ?? '', type, target: resolve(folder, target) }];
  });
}

/** The main part of a package, such as `word/document.xml`. */
export const mainPart = (file: ZipPackage, fileName: string): string | undefined =>
  relationsOf(file, '', fileName).find(({ type }) => type === 'officeDocument')?.target;

function resolve(folder: string, target: string): string {
  const names: string[] = [];
  for (const name of (target.startsWith('/') ? target : folder + target).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}
