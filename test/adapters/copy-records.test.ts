import { describe, expect, it } from 'vitest';
import { toPlace } from '../../src/adapters/copy-records.ts';

describe('the target of a copy of the records', () => {
  it.each([
    ['postgres://user:p%2Fss@db.example.org/citewell', { kind: 'postgres' }],
    ['postgresql:///citewell?host=/run/postgresql', { kind: 'postgres' }],
    ['sqlite:data', { kind: 'sqlite', folder: '/srv/data' }],
    ['data/citewell.db', { kind: 'sqlite', folder: '/srv/data' }],
    ['/var/lib/citewell', { kind: 'sqlite', folder: '/var/lib/citewell' }],
  ])('%s', (text, place) => {
    expect(toPlace(text, '/srv')).toEqual(place.kind === 'postgres' ? { ...place, url: text } : place);
  });

  it.each([
    'postgres://db.example.org',
    'postgres://db.example.org/',
    'postgres://user:a/b@db.example.org/citewell',
    'postgres://user:1/b@db.example.org/citewell',
    'mysql://db.example.org/citewell',
    'sqlite:',
    '',
  ])('is not "%s"', (text) => {
    expect(() => toPlace(text, '/srv')).toThrow(/--to/);
  });
});
