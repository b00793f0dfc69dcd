import { describe, expect, it } from 'vitest';
import { readSource, type SourceOptions } from '../../src/cli/source-options.ts';

const read = (place: string, options: Partial<SourceOptions>) => () =>
  readSource(place, { schedule: true, ...options });

describe('the options of "citewell sources add"', () => {
  it.each<[string, Partial<SourceOptions>, string]>([
    ['papers', { every: 5 }, '--every is not an option for a folder, which has --keep-deleted, --collection.'],
    ['papers', { crawlDepth: 0 }, '--crawl-depth is not an option for a folder'],
    [
      'https://example.org/',
      { keepDeleted: true },
      '--keep-deleted is not an option for a site, which has --sitemap, ',
    ],
    ['https://example.org/', { schedule: false }, '--no-schedule is not an option for a site'],
    ['https://example.org/', { set: ['a=b'] }, '--set is not an option for a site'],
    ['s3://papers/', { maxPages: 5 }, '--max-pages is not an option for'],
    ['s3://papers/', { sitemap: true }, '--sitemap is not an option for'],
    ['s3://papers/', { set: ['regoin=eu'] }, 'Unknown setting "regoin=eu" for s3; did you mean "region"?'],
    ['ftp://papers/', {}, 'No kind of source has addresses that begin with ftp://.'],
  ])('%s %j: refused', (place, options, message) => {
    expect(read(place, options)).toThrow(message);
  });

  it('are those of the request', () => {
    expect(read('https://example.org/', { crawlDepth: 2, maxPages: 9 })()).toEqual({
      kind: 'site',
      url: 'https://example.org/',
      crawl_depth: 2,
      max_pages: 9,
    });
    expect(read('/papers', { keepDeleted: true })()).toEqual({ kind: 'folder', path: '/papers', keep_deleted: true });
  });
});
