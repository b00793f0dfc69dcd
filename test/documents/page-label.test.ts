import { expect, it } from 'vitest';
import { pageLabel } from '../../src/documents/page-label.ts';
import { readableTypes } from '../../src/ingest/readers/file-types.ts';

it('a page is called a slide in presentations', () => {
  expect(pageLabel('pdf', 3)).toBe('page 3');
  expect(pageLabel('pdf', 3, 5)).toBe('pages 3-5');
  expect(pageLabel('pptx', 3, 3)).toBe('slide 3');
  expect(pageLabel('pptx', 3, 5)).toBe('slides 3-5');
  expect(pageLabel(undefined, 3)).toBe('page 3');
});

it('every format of presentations has slides', () => {
  const isPresentation = /presentation|powerpoint/;
  const types = readableTypes.filter(({ mediaTypes }) => mediaTypes.some((each) => isPresentation.test(each)));
  const named = readableTypes.filter(({ type }) => pageLabel(type, 1) === 'slide 1');
  expect(named).toEqual(types);
  expect(named).not.toEqual([]);
});
