import { ask } from './texts/ask.ts';
import { graph } from './texts/graph.ts';
import { library } from './texts/library.ts';
import { quality } from './texts/quality.ts';
import { search } from './texts/search.ts';
import { settings } from './texts/settings.ts';
import { source } from './texts/source.ts';
import { sources } from './texts/sources.ts';

/** All English texts of the page; each view's texts are in a separate file. */
export const texts = {
  name: 'Citewell',
  skip: 'Skip to content',
  navigation: 'Main',
  loading: 'Loading…',
  retry: 'Try again',
  close: 'Close',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'The browser did not allow it',
  pager: {
    label: 'Pages of the list',
    first: 'First page',
    previous: 'Previous page',
    next: 'Next page',
    last: 'Last page',
    range: (from: number, to: number, total: number) =>
      `${from.toLocaleString('en')}–${to.toLocaleString('en')} of ${total.toLocaleString('en')}`,
  },
  unreachable: 'The server cannot be reached. Is it still running?',
  codeMissing:
    'This part of the page could not be loaded. Is the server still running? If it was updated, reload the page.',
  status: (status: number) => `The server answered with status ${status}.`,
  signIn: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    submit: 'Sign in',
    refused: 'The e-mail address or the password is wrong.',
  },
  missing: { title: 'Not found', text: 'There is nothing at this address.', home: 'Ask your documents' },
  ask,
  source,
  sources,
  search,
  library,
  graph,
  quality,
  settings,
};
