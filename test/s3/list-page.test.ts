import { expect, it } from 'vitest';
import { readListPage } from '../../src/s3/list-page.ts';
import { readXml, textOf } from '../../src/s3/xml-element.ts';

const page = (inside: string) => `<?xml version="1.0"?>\n<ListBucketResult xmlns="x">${inside}</ListBucketResult>`;
const last = '<IsTruncated>false</IsTruncated>';

it('reads the objects of a page', () => {
  const contents =
    '<Contents><Key>a &amp; b/c.txt</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>"e1"</ETag>' +
    '<Size>7</Size><Owner><ID>Key</ID></Owner><Restore/></Contents><Contents><Key>d</Key></Contents>';
  const modified = '2026-01-02T03:04:05.000Z';
  expect(readListPage(page(`<Name>papers</Name><Prefix/>${last}${contents}`))).toEqual({
    objects: [
      { key: 'a & b/c.txt', etag: 'e1', size: 7, modified },
      { key: 'd', etag: '', size: 0, modified: '' },
    ],
    next: undefined,
  });
  const encoded = '<EncodingType>url</EncodingType><Contents><Key>a+b%2Fc%01</Key></Contents>';
  expect(readListPage(page(last + encoded))?.objects.map(({ key }) => key)).toEqual(['a b/c\u0001']);
});

it('names the next page of a truncated one only', () => {
  const token = '<NextContinuationToken>a&amp;b=</NextContinuationToken>';
  expect(readListPage(page(`<IsTruncated>true</IsTruncated>${token}`))?.next).toBe('a&b=');
  expect(readListPage(page(`${last}${token}`))?.next).toBeUndefined();
});

it('takes nothing else for a page', () => {
  expect(readListPage(page(last))).toEqual({ objects: [], next: undefined });
  const others = [
    '',
    '{"objects":[]}',
    '<html><body>It works!<br></body></html>',
    '<Error><Code>AccessDenied</Code></Error>',
    page(''),
    page('<IsTruncated>true</IsTruncated>'),
    page(`<Deeper>${last}</Deeper>`),
    page(`${last}<Contents><Key>a</Key></Contents>`).slice(0, -5),
    page(`${last}${'<a>'.repeat(100)}${'</a>'.repeat(100)}`),
  ];
  expect(others.map(readListPage)).toEqual(others.map(() => undefined));
});

it('reads the members of other answers', () => {
  const error = readXml('<Error><Code>SlowDown</Code><Detail><Code>inner</Code></Detail></Error>\n');
  expect([error?.name, textOf(error, 'Code'), textOf(error, 'Region')]).toEqual(['Error', 'SlowDown', '']);
  expect(textOf(readXml('<Error><Code>SlowDown'), 'Code')).toBe('');
});
