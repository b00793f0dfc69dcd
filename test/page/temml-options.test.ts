import temml from 'temml';
import { describe, expect, it } from 'vitest';
import { temmlOptions } from '../../src/page/app/views/ask/temml-options.ts';

const draw = (source: string): string => temml.renderToString(source, temmlOptions);

describe('a formula that a model wrote', () => {
  it.each([
    ['\\frac{a+1}{b}', '<mfrac>'],
    ['\\sum_{k=1}^{n} k', '∑'],
    ['\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}', '<mtable'],
    ['\\hat{y} \\in \\mathbb{R}', 'ℝ'],
  ])('%s is drawn', (source, expected) => {
    expect(draw(source)).toContain(expected);
  });

  it.each([
    ['unknown commands', '\\strange{x}'],
    ['open braces', '\\frac{a}{b'],
    ['a link', '\\href{javascript:alert(1)}{x}'],
    ['a class of the page', '\\class{chip}{x}'],
    ['a picture of another host', '\\includegraphics{https://example.org/a.png}'],
    ['macros without end', '\\def\\a{\\a\\a}\\a'],
    ['thousands of braces', '{'.repeat(1_000_000) + '}'.repeat(1_000_000)],
  ])('is not drawn if it has %s', (_, source) => {
    expect(() => draw(source)).toThrow();
  });

  it('cannot cover the page', () => {
    expect(draw('\\rule{900em}{900em}')).not.toContain('900em');
  });

  it('is text where it contains HTML', () => {
    expect(draw('\\text{<img src=x onerror=alert(1)>}')).not.toContain('<img');
  });
});
