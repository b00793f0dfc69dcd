export const library = {
  title: 'Library',
  drop: 'Drop or paste files or folders here.',
  dropNow: 'Release to add them.',
  formats: 'PDF, Word, PowerPoint, Excel, HTML, Markdown, e-mail, text, code and more.',
  into: (collection: string) => `They are added to “${collection}”.`,
  chooseFiles: 'Choose files',
  chooseFolder: 'Choose a folder',
  otherWays: 'Other ways to add',
  taken: (count: number) => (count === 1 ? 'One file added.' : `${count.toLocaleString('en')} files added.`),
  uploads: 'Uploads',
  uploading: (over: number, total: number) =>
    `${over.toLocaleString('en')} of ${total.toLocaleString('en')} files are done`,
  uploadsDone: (done: number, failed: number) =>
    `${done.toLocaleString('en')} ${done === 1 ? 'file is' : 'files are'} done${failed === 0 ? '' : `, ${failed.toLocaleString('en')} failed`}`,
  clear: 'Clear this list',
  stopUploads: 'Stop after the current files',
  moreUploads: (count: number) => `and ${count.toLocaleString('en')} more`,
  retryFile: (name: string) => `Try ${name} again`,
  waiting: 'Waiting',
  sending: 'Sending…',
  fetching: 'Fetching…',
  disconnected: 'The server cannot be reached. Continues when it is back.',
  same: 'Already in the library',
  ready: (chunks: number | undefined) =>
    chunks === undefined ? 'Ready' : `Ready, ${chunks.toLocaleString('en')} ${chunks === 1 ? 'passage' : 'passages'}`,
  postponed: (reason: string) => `Will be retried: ${reason}`,
  failed: (reason: string) => `Failed: ${reason}`,
  remedies: {
    settings: 'The settings of the server must be changed first; then try again.',
    file: 'The same file would fail again; add a readable copy of it.',
  },
  stage: (stage: string): string =>
    ({
      pending: 'Queued',
      parsing: 'Reading',
      augmenting: 'Adding context',
      embedding: 'Indexing',
      storing: 'Storing',
    })[stage] ?? stage,
  stageOf: (stage: string, done: number | undefined, total: number | undefined): string =>
    `${library.stage(stage)}${done === undefined || total === undefined ? '…' : `, ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`}`,
  addAddress: 'Add a web address',
  address: 'Address',
  addressExample: 'https://example.org/guide/',
  badAddress: 'Enter an address that begins with http:// or https://.',
  pages: 'Pages',
  onePage: 'This page only',
  crawl: 'Also the pages it links to, on the same site and below its folder',
  sitemap: 'All pages in the sitemap of its site',
  depth: 'Link depth',
  maxPages: 'Maximum number of pages',
  addressNote: 'The server fetches the pages, as robots.txt allows. Addresses of private networks are refused.',
  add: 'Add',
  watchFolder: 'Watch a folder',
  path: 'Path on the machine that runs Citewell',
  keepDeleted: 'Keep documents whose files are deleted',
  watch: 'Watch',
  allowed: (folders: readonly string[]) => `Folders below ${folders.join(', ')} can be watched.`,
  noneAllowed: 'No folder may be watched yet. Restart the server with the folders to allow, for example:',
  noneAllowedLine: 'citewell serve --allow-dir ~/Documents',
  sources: 'Followed sources',
  sourceState: (state: string, kind: string): string =>
    ({
      syncing: 'In progress',
      following: 'Watched',
      idle: 'Done',
      failed: 'Failed',
      stopped: kind === 'folder' ? 'Not watched' : 'Failed',
    })[state] ?? state,
  outcomes: (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count.toLocaleString('en')} ${library.outcome(kind)}`)
      .join(', '),
  outcome: (kind: string): string =>
    ({
      ingested: 'added',
      replaced: 'changed',
      duplicate: 'already present',
      kept: 'kept',
      gone: 'no longer on the site',
      waiting: 'to be retried',
    })[kind] ?? kind,
  nothingFound: 'Nothing to add was found.',
  syncedAt: (when: string) => `Last change seen ${when}`,
  interrupted: 'Interrupted',
  limitReached: (max: number) => `Stopped at the limit of ${max.toLocaleString('en')} pages; the site may have more.`,
  sourceProgress: (done: number, total: number | null, listed: number | null): string => {
    const checked = done.toLocaleString('en');
    if (total !== null && total >= done) return `${checked} of ${total.toLocaleString('en')} checked`;
    return total === null && listed !== null
      ? `${checked} checked of ${listed.toLocaleString('en')} listed so far`
      : `${checked} checked`;
  },
  sourceFailures: ({ failed, gone, skipped }: Readonly<Record<'failed' | 'gone' | 'skipped', number>>) =>
    [
      failed > 0 && (failed === 1 ? 'One failure' : `${failed.toLocaleString('en')} failures`),
      gone > 0 && (gone === 1 ? 'One page no longer exists' : `${gone.toLocaleString('en')} pages no longer exist`),
      skipped > 0 && (skipped === 1 ? 'One file skipped' : `${skipped.toLocaleString('en')} files skipped`),
    ]
      .filter((part) => part !== false)
      .join(', '),
  failedItems: (count: number) =>
    count === 1
      ? 'One item failed and will be retried:'
      : `${count.toLocaleString('en')} items failed and will be retried:`,
  tries: (count: number) => (count === 1 ? 'tried once' : `tried ${count.toLocaleString('en')} times`),
  sourceFailuresShown: (shown: number) => `The latest ${shown} are shown.`,
  sync: 'Synchronise now',
  remove: 'Remove',
  removeSource: (location: string) => `Stop following ${location}?`,
  removeSourceText: 'Its documents stay in the library. They are no longer updated.',
  filters: 'Filter the documents',
  titleFilter: 'Title contains',
  state: 'State',
  anyState: 'Any',
  states: { ready: 'Ready', working: 'In progress', failed: 'Failed' },
  retryAll: 'Try all failed again',
  collection: 'Collection',
  collections: 'Collections',
  anyCollection: 'All',
  otherCollection: 'another',
  collectionOption: (name: string, count: number) => `${name} (${count.toLocaleString('en')})`,
  newCollection: 'New collection',
  collectionName: 'Name',
  collectionDescription: 'Description (optional)',
  create: 'Create',
  removeCollection: 'Delete collection',
  removeCollectionText: (name: string, count: number) =>
    `“${name}” and its graph are deleted. Its ${count.toLocaleString('en')} ${count === 1 ? 'document stays' : 'documents stay'} in the library.`,
  count: (total: number, isFiltered: boolean) =>
    `${total.toLocaleString('en')} ${total === 1 ? 'document' : 'documents'}${isFiltered ? ' found' : ''}`,
  list: 'Documents',
  noneFits: 'No document matches. Change the filters to see more.',
  empty: 'No documents yet.',
  document: 'Document',
  size: 'Size',
  added: 'Added',
  select: (title: string) => `Select ${title}`,
  selectAll: 'Select all on this page',
  selection: 'Actions for the selected documents',
  selected: (count: number) => `${count.toLocaleString('en')} selected`,
  selectAllFound: (count: number) => `Select all ${count.toLocaleString('en')}`,
  addTo: 'Add to collection…',
  takeOut: 'Remove from this collection',
  moved: (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'} changed.`,
  moving: (count: number) => `Changing the collections of ${count.toLocaleString('en')} documents`,
  movedSoFar: (done: number, total: number) => `${done.toLocaleString('en')} of ${total.toLocaleString('en')} done`,
  delete: 'Delete…',
  deleteTitle: (count: number) =>
    count === 1 ? 'Delete this document?' : `Delete ${count.toLocaleString('en')} documents?`,
  deletedSoFar: (done: number, total: number) =>
    `${done.toLocaleString('en')} of ${total.toLocaleString('en')} deleted`,
  stopDeletion: 'Stop',
  leftBy: (count: number) =>
    `${count === 1 ? 'One document was' : `${count.toLocaleString('en')} documents were`} left, because you stopped.`,
  deletionFailed: (message: string) => `The deletion ended early; the list shows what is left. ${message}`,
  notDeleted: (count: number) =>
    `${count === 1 ? 'One document was' : `${count.toLocaleString('en')} documents were`} not deleted:`,
  deleteText: 'The files, their text, passages, vectors and graph entries are deleted. This cannot be undone.',
  deleteForGood: 'Delete permanently',
  andMore: (count: number) => `and ${count.toLocaleString('en')} more`,
  deleted: 'Deleted. The receipt is shown.',
  receipt: 'Receipt of the deletion',
  receiptRows: {
    documents: 'Documents',
    versions: 'Earlier versions',
    files: 'Files',
    chunks: 'Passages',
    past_chunks: 'Passages of earlier versions',
    vectors: 'Vectors',
    full_text_entries: 'Full-text entries',
    graph_rows: 'Entities and relationships',
    cached: 'Cached answers',
  },
  verified: 'Verified: full-text search, semantic search and the index no longer find any of it.',
  verifiedLater: 'Its removal from the vector index is pending; searches no longer show it.',
  notVerified: 'A search after the deletion still found parts of it. Run “citewell doctor”.',
  unverified: 'The server did not report whether a search after the deletion found anything.',
};
