import { createTextBuilder, type TextBuilder } from '../build-text.ts';
import type { HtmlElement } from '../html/html-nodes.ts';
import { readProperties } from '../office/office-properties.ts';
import { untitled } from '../office/pptx-shapes.ts';
import type { Reader } from '../reader.ts';
import { elementsBelow, elementsOf, localName } from '../xml/xml.ts';
import { contentOf } from './odt.ts';
import { addOpenDocumentBlocks, inlineText, type OpenDocumentContext, stylesOf } from './open-document.ts';
import { openDocumentPackage } from './open-document-package.ts';

/** OpenDocument presentations: a page per slide, its title as a heading, and the speaker's notes. */
export const odpReader: Reader = {
  async read({ bytes, fileName }) {
    const file = openDocumentPackage({ bytes, fileName, what: 'an OpenDocument presentation' });
    const root = contentOf(file, fileName);
    const builder = createTextBuilder();
    const context: OpenDocumentContext = { styles: stylesOf(root), notes: [] };
    const slides = [...elementsBelow(root, 'page')];
    for (const [index, slide] of slides.entries()) {
      builder.startPage(index + 1);
      addSlide(builder, slide, { context, number: index + 1 });
    }
    const { title, ...properties } = readProperties(file, 'meta.xml', fileName);
    const metadata = { ...properties, slide_count: slides.length };
    return { ...builder.finish(), ...(title === undefined ? {} : { title }), metadata };
  },
};

const HEADER_AND_FOOTER_CLASSES = new Set(['date-time', 'footer', 'page-number', 'header', 'page']);

interface SlidePlace {
  readonly context: OpenDocumentContext;
  /** From 1. */
  readonly number: number;
}

function addSlide(builder: TextBuilder, slide: HtmlElement, { context, number }: SlidePlace): void {
  const shapes = elementsOf(slide).filter((shape) => !HEADER_AND_FOOTER_CLASSES.has(classOf(shape)));
  const title = shapes.find((shape) => classOf(shape) === 'title');
  const text = title === undefined ? '' : paragraphsBelow(title, context).join(' ');
  builder.add('heading', text.replace(/\s+/g, ' ') || untitled(number), { level: 2 });
  for (const shape of shapes) {
    const name = localName(shape.name);
    if (shape !== title && name !== 'notes') addOpenDocumentBlocks(builder, shape, context);
  }
  for (const notes of shapes.filter(({ name }) => localName(name) === 'notes')) {
    const notesText = elementsOf(notes)
      .filter((shape) => classOf(shape) === 'notes')
      .flatMap((shape) => paragraphsBelow(shape, context));
    if (notesText.length > 0) builder.add('paragraph', `Notes: ${notesText.join('\n')}`);
  }
}

const classOf = ({ attribs }: HtmlElement): string => attribs['presentation:class'] ?? '';

const paragraphsBelow = (shape: HtmlElement, context: OpenDocumentContext): string[] =>
  [...elementsBelow(shape, 'p')].map((paragraph) => inlineText(paragraph, context)).filter((text) => text !== '');
