import { describe, expect, it } from 'vitest';
import { imapKind } from '../../../src/sources/imap/imap.ts';
import { fromRanges, toRanges } from '../../../src/sources/imap/uid-set.ts';
import { kindOfAddress, settingsOfAddress } from '../../../src/sources/kinds.ts';

describe('addresses of mailboxes', () => {
  it('contain server, user and folder, and are shown without credentials', () => {
    const address = 'imaps://ann%40example.org@mail.example.org/Projects/?since=2024-01-31';
    expect(kindOfAddress(address)).toBe(imapKind);
    const settings = settingsOfAddress(imapKind, address);
    expect(settings).toEqual({
      host: 'mail.example.org',
      user: 'ann@example.org',
      folders: ['Projects/*'],
      since: '2024-01-31',
    });
    expect(imapKind.addressOf(settings as never)).toBe('imaps://ann%40example.org@mail.example.org/Projects/');
    expect(() => settingsOfAddress(imapKind, 'imaps://ann:secret@mail.example.org')).toThrow('carries a password');
    expect(settingsOfAddress(imapKind, 'imap://ann@mail.example.org')).toMatchObject({ port: 143 });
  });

  it('refuses an invalid date', () => {
    expect(() => imapKind.addressOf({ host: 'h', user: 'u', since: 'yesterday' } as never)).toThrow('is not a day');
  });
});

it('stores message numbers as ranges', () => {
  expect(toRanges([1, 2, 3, 7, 9, 10])).toBe('1:3,7,9:10');
  expect([...fromRanges('1:3,7,9:10')]).toEqual([1, 2, 3, 7, 9, 10]);
  expect([toRanges([]), [...fromRanges('')]]).toEqual(['', []]);
});
