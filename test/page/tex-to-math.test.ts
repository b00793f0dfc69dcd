import { describe, expect, it } from 'vitest';
import { type MathNode, texToMath } from '../../src/page/app/views/ask/tex-to-math.ts';

/** MathML without attributes, and without the elements of letters, numbers and operators. */
const draw = (nodes: readonly (MathNode | string)[]): string =>
  nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      const inside = draw(node.children);
      return ['mi', 'mn', 'mo', 'mtext'].includes(node.tag) ? inside : `<${node.tag.slice(1)} ${inside}>`;
    })
    .join(' ')
    .trim();

const shown = (source: string): string | undefined => {
  const nodes = texToMath(source);
  return nodes && draw(nodes).replaceAll(/\s+/g, ' ').replaceAll(' >', '>');
};

describe('a formula in TeX', () => {
  it.each([
    ['E = mc^2', 'E = m <sup c 2>'],
    ['\\frac{a+1}{b}', '<frac <row a + 1> b>'],
    ['x_i^{n-1}', '<subsup x i <row n − 1>>'],
    ["f'(x) = 2x", '<sup f ′> ( x ) = 2 x'],
    ['x^12', '<sup x 1> 2'],
    ['\\int_0^1 x^2\\,dx', '<subsup ∫ 0 1> <sup x 2> <space> d x'],
    ['\\sum_{k=1}^{n} k', '<underover ∑ <row k = 1> n> k'],
    ['\\lim_{x \\to 0} \\sin x', '<under lim <row x → 0>> sin x'],
    ['\\sqrt{2} \\sqrt[3]{x}', '<sqrt 2> <root x 3>'],
    ['\\left( \\frac12 \\right]', '<row ( <frac 1 2> ]>'],
    ['\\hat{y} \\in \\mathbb{R}', '<over y ^> ∈ ℝ'],
    ['v = 3.5\\,\\text{km per h}', 'v = 3.5 <space> km per h'],
    ['\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}', '<row ( <table <tr <td a> <td b>> <tr <td c> <td d>>> )>'],
    [
      '|x| = \\begin{cases} x & x \\ge 0 \\\\ -x & x < 0 \\end{cases}',
      '| x | = <row { <table <tr <td x> <td x ≥ 0>> <tr <td − x> <td x < 0>>>>',
    ],
    ['\\alpha \\cdot 50\\%', 'α ⋅ 50 %'],
  ])('%s', (source, expected) => {
    expect(shown(source)).toBe(expected);
  });

  it.each([
    ['unknown commands', '\\unknown{x}'],
    ['open braces', '\\frac{a}{b'],
    ['open brackets', '\\left( x'],
    ['a brace too many', 'x}'],
    ['an environment that ends as another', '\\begin{matrix} a \\end{cases}'],
    ['missing arguments', 'x^'],
    ['thousands of braces', '{'.repeat(1_000) + '}'.repeat(1_000)],
  ])('is not shown if there are %s', (_, source) => {
    expect(texToMath(source)).toBeUndefined();
  });
});
