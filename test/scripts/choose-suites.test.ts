import { describe, expect, it } from 'vitest';
import { chooseSuites, readPart } from '../../scripts/browser-test/choose-suites.ts';

const suites = Array.from({ length: 23 }, (_, number) => ({ name: `s${number}` }));
const namesOf = (chosen: readonly { readonly name: string }[]) => chosen.map(({ name }) => name);

describe('the views of a browser test', () => {
  it('are all in one of the parts, besides those that are named', () => {
    const named = ['s3', 's20'];
    const parts = [1, 2, 3, 4, 5].map((number) => namesOf(chooseSuites(suites, named, { number, count: 5 })));
    for (const part of parts) {
      expect(part).toEqual(expect.arrayContaining(named));
      expect(part.length).toBeLessThanOrEqual(7);
    }
    const others = parts.flatMap((part) => part.filter((name) => !named.includes(name)));
    expect([...others, ...named].toSorted()).toEqual(namesOf(suites).toSorted());
  });

  it('are those that are named without a part, and all without names', () => {
    expect(namesOf(chooseSuites(suites, ['s20', 's3']))).toEqual(['s3', 's20']);
    expect(chooseSuites(suites, [])).toEqual(suites);
  });

  it.each(['0/5', '6/5', '1/0', '2', 'x/y', '1/5/'])('have no part "%s"', (text) => {
    expect(readPart(text)).toBeNull();
  });

  it('have parts counted from one', () => {
    expect(readPart('5/5')).toEqual({ number: 5, count: 5 });
  });
});
