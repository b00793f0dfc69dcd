import { ServiceError } from '../../../errors.ts';
import { createTextBuilder, type TextBuilder } from '../build-text.ts';
import { openZipPackage, type ZipPackage } from '../containers/zip-package.ts';
import type { Reader } from '../reader.ts';
import { attributeOf, elementsBelow, firstBelow, parseXml } from '../xml/xml.ts';
import { readProperties } from './office-properties.ts';
import { mainPart, type Relation, relationsOf } from './package-relations.ts';
import { addShapes, textOfNotes } from './pptx-shapes.ts';
import { slideComments } from './slide-comments.ts';

const MAX_SLIDES = 5_000;

/** PowerPoint presentations: a page per slide, its title as a heading, tables, diagrams, the speaker's notes and comments. */
export const pptxReader: Reader = {
  async read({ bytes, fileName, signal }) {
    const file = openZipPackage({ bytes, fileName, what: 'a PowerPoint presentation' });
    const slides = slidesOf(file, fileName);
    const builder = createTextBuilder();
    const hidden: number[] = [];
    for (const [index, part] of slides.entries()) {
      signal.throwIfAborted();
      builder.startPage(index + 1);
      if (addSlide(builder, { file, fileName, part, number: index + 1 }).isHidden) hidden.push(index + 1);
    }
    const { title, ...properties } = readProperties(file, 'docProps/core.xml', fileName);
    const metadata = {
      ...properties,
      slide_count: slides.length,
      ...(hidden.length === 0 ? {} : { hidden_slides: hidden }),
    };
    return { ...builder.finish(), ...(isOwnTitle(title) ? { title } : {}), metadata };
  },
};

/** A title the program generates does not count. */
const isOwnTitle = (title: string | undefined): title is string =>
  title !== undefined && !/^(?:PowerPoint Presentation|Slide 1|Untitled)$/i.test(title);

/** The slide parts in presentation order. */
function slidesOf(file: ZipPackage, fileName: string): string[] {
  const part = mainPart(file, fileName) ?? 'ppt/presentation.xml';
  const text = file.text(part);
  if (text === undefined)
    throw new ServiceError('invalid_request', `${fileName} is damaged: it has no presentation part.`);
  const targets = new Map(relationsOf(file, part, fileName).map((relation) => [relation.id, relation.target]));
  const slides = [...elementsBelow(parseXml(text, fileName), 'sldId')].flatMap(({ attribs }) => {
    const id = Object.entries(attribs).find(([key]) => /:id$/i.test(key))?.[1];
    return targets.get(id ?? '') ?? [];
  });
  if (slides.length > MAX_SLIDES)
    throw new ServiceError('too_large', `${fileName} has ${slides.length} slides; at most ${MAX_SLIDES} are read.`);
  return slides;
}

interface SlideSource {
  readonly file: ZipPackage;
  readonly fileName: string;
  readonly part: string;
  readonly number: number;
}

function addSlide(builder: TextBuilder, { file, fileName, part, number }: SlideSource): { readonly isHidden: boolean } {
  const text = file.text(part);
  if (text === undefined) return { isHidden: false };
  const root = parseXml(text, fileName);
  const relations = relationsOf(file, part, fileName);
  addShapes(builder, { root, number, partById: (id) => partOf(relations, id, { file, fileName }) });
  const notes = relations.find(({ type }) => type === 'notesSlide');
  const notesText = notes === undefined ? undefined : file.text(notes.target);
  if (notesText !== undefined) {
    const notesOfSlide = textOfNotes(parseXml(notesText, fileName));
    if (notesOfSlide !== '') builder.add('paragraph', `Notes: ${notesOfSlide}`);
  }
  for (const comment of slideComments(file, relations, fileName)) builder.add('paragraph', comment);
  const slide = firstBelow(root, 'sld');
  const show = slide === undefined ? undefined : attributeOf(slide.attribs, 'show');
  return { isHidden: show === '0' || show === 'false' };
}

/** The XML tree of a part related to a slide, such as a diagram. */
function partOf(
  relations: readonly Relation[],
  id: string,
  { file, fileName }: Pick<SlideSource, 'file' | 'fileName'>,
) {
  const target = relations.find((relation) => relation.id === id)?.target;
  const text = target === undefined ? undefined : file.text(target);
  return text === undefined ? undefined : parseXml(text, fileName);
}
