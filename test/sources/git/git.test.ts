import { describe, expect, it } from 'vitest';
import { gitKind } from '../../../src/sources/git/git-kind.ts';
import { webAddress } from '../../../src/sources/git/web-address.ts';
import { kindOfAddress, settingsOfAddress } from '../../../src/sources/kinds.ts';

describe('addresses of repositories', () => {
  it('contain repository, branch and folder', () => {
    const address = 'git+https://github.com/owner/papers.git@release%2F2/docs/a';
    expect(kindOfAddress(address)).toBe(gitKind);
    const settings = settingsOfAddress(gitKind, address);
    expect(settings).toEqual({ url: 'https://github.com/owner/papers.git', ref: 'release/2', folder: 'docs/a' });
    expect(gitKind.addressOf(settings as never)).toBe(address);
    const plain = settingsOfAddress(gitKind, 'git+https://ann@git.example.org/papers');
    expect(plain).toEqual({ url: 'https://git.example.org/papers', user: 'ann' });
    const inFolder = gitKind.addressOf({ ...plain, folder: 'docs' } as never);
    expect(inFolder).toBe('git+https://git.example.org/papers@HEAD/docs');
    expect(settingsOfAddress(gitKind, inFolder)).toEqual({ url: 'https://git.example.org/papers', folder: 'docs' });
  });

  it('are refused when they contain a token or are invalid', () => {
    const of = (address: string) => gitKind.addressOf(settingsOfAddress(gitKind, address) as never);
    expect(() => of('git+https://ann:secret@github.com/o/r.git')).toThrow('carries a password');
    expect(() => of('git+https://ghp_123@github.com/o/r.git')).toThrow('this is a token');
    expect(() => of('git+https://github.com/')).toThrow('expected an address such as');
    expect(() => gitKind.addressOf({ url: 'https://h/r.git', folder: '../x' } as never)).toThrow('expected a path');
  });

  it('link to the page of a file at the commit that was read', () => {
    expect(webAddress('https://github.com/o/r.git', 'c0', 'a b/ü.md')).toBe(
      'https://github.com/o/r/blob/c0/a%20b/%C3%BC.md',
    );
    expect(webAddress('https://gitlab.example.org/g/s/r', 'c0', 'a.md')).toBe(
      'https://gitlab.example.org/g/s/r/-/blob/c0/a.md',
    );
    expect(webAddress('https://git.example.org/r.git', 'c0', 'a.md')).toBeUndefined();
  });
});
