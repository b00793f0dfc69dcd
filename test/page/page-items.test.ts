import { describe, expect, it } from 'vitest';
import { pageItems, runsOf } from '../../src/page/app/views/source/pdf/page-items.ts';

describe('the text of a PDF page', () => {
  const place = { width: 50, transform: [10, 0, 0, 10, 100, 200] };
  const items = pageItems([
    { str: 'The ', hasEOL: false, ...place },
    { type: 'beginMarkedContent' },
    { str: 'inter-', hasEOL: true, ...place },
    { str: '', hasEOL: true, ...place },
    { str: 'national board', hasEOL: false, ...place },
  ]);

  it('is joined from its runs, in lines', () => {
    expect(items.text).toBe('The inter-\n\nnational board');
  });

  it('is marked run by run', () => {
    const marked = (start: number, end: number) =>
      runsOf({ page: 1, start, end }, items).map(({ run, from, to }) => items.runs[run]?.text.slice(from, to));
    expect(marked(4, 20)).toEqual(['inter-', 'national']);
    expect(marked(1, 3)).toEqual(['he']);
    expect(marked(10, 12)).toEqual([]);
    expect(marked(0, items.text.length)).toEqual(['The ', 'inter-', 'national board']);
  });
});
