import { describe, expect, it } from 'vitest';
import { answeringCell, cellsOfRow } from '../../src/page/app/views/ask/table-quote.ts';

describe('a quoted table row', () => {
  it('is shown as its cells, without the signs of Markdown', () => {
    expect(cellsOfRow('| Nitric acid | below 15 °C |  | a \\| b |')).toEqual(['Nitric acid', 'below 15 °C', 'a | b']);
  });

  it.each(['The tea costs 3 euros.', 'a | b', '|', '| a |\n| b |'])('is not %j', (text) => {
    expect(cellsOfRow(text)).toBeUndefined();
  });
});

describe('the cell that answers', () => {
  const cellAfter = (location: string, title = 'budget.xlsx') => {
    const start = '“| Tea | 3 |” '.length;
    const mark = { start, end: start + 3, sourceId: 'cit.1' };
    return answeringCell({ text: `“| Tea | 3 |” [1]\n${location}\n\n“| Rum | 9 |” [2]` }, mark, title);
  };

  it.each([
    ['— budget.xlsx; Tea, Price: 3 (EUR)', 'budget.xlsx'],
    ['— budget.xlsx, page 12; Tea, Price: 3 (EUR)', 'budget.xlsx'],
    ['— harbour.pptx, slide 8; Tea, Price: 3 (EUR)', 'harbour.pptx'],
    ['— a; b, page 2; Tea, Price: 3 (EUR)', 'a; b'],
  ])('is read from %j', (location, title) => {
    expect(cellAfter(location, title)).toBe('Tea, Price: 3 (EUR)');
  });

  it('is missing for other quotations and other titles', () => {
    expect(cellAfter('— budget.xlsx, page 12')).toBeUndefined();
    expect(cellAfter('— other.xlsx; Tea, Price: 3')).toBeUndefined();
    expect(answeringCell({ text: '[1]' }, { start: 0, end: 3, sourceId: 'cit.1' }, 'a')).toBeUndefined();
  });
});
