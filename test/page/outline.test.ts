import { expect, it } from 'vitest';
import { outlineOf } from '../../src/page/app/views/source/outline.ts';

it('lists each heading once, at the start of its section', () => {
  const paths = [[], ['Report'], ['Report', 'Income'], ['Report', 'Income'], ['Report', 'Staff'], ['Annex', 'Staff']];
  const chunks = paths.map((path, index) => ({
    id: String(index),
    text: '',
    start: index * 10,
    end: index * 10 + 9,
    page: null,
    heading_path: path,
  }));
  expect(outlineOf(chunks).map(({ title, depth, start }) => [title, depth, start])).toEqual([
    ['Report', 0, 10],
    ['Income', 1, 20],
    ['Staff', 1, 40],
    ['Annex', 0, 50],
    ['Staff', 1, 50],
  ]);
});
