import { describe, expect, it } from 'vitest';
import { isGenerated } from '../../src/ingest/folders/is-generated.ts';
import { RequestFailure } from '../../src/page/app/api/request.ts';
import { source } from '../../src/page/app/texts/source.ts';
import { deleteSelected } from '../../src/page/app/views/library/delete-selected.ts';
import { readSort, sortedBy, writeSort } from '../../src/page/app/views/library/document-sort.ts';
import {
  addReceipts,
  type LibraryDocument,
  type Receipt,
  readLibraryFilter,
} from '../../src/page/app/views/library/library-data.ts';
import {
  chosenFiles,
  type DroppedEntry,
  entriesIn,
  entriesPasted,
  filesOf,
} from '../../src/page/app/views/library/read-dropped.ts';
import { canRetry, remedyOfRefusal } from '../../src/page/app/views/library/remedy.ts';
import { countUploads, shownUploads, UploadQueue } from '../../src/page/app/views/library/upload-queue.ts';

const file = (name: string) => ({
  isFile: true,
  isDirectory: false,
  name,
  file: (done: (file: File) => void) => done(new File(['x'], name)),
});
const folder = (name: string, entries: readonly DroppedEntry[]) => ({
  isFile: false,
  isDirectory: true,
  name,
  createReader() {
    const rest = [...entries];
    // As in browsers: a few at a time, and an empty list at the end.
    return { readEntries: (done: (some: readonly DroppedEntry[]) => void) => done(rest.splice(0, 2)) };
  },
});

describe('a drop of files', () => {
  it('includes files of all subfolders, without hidden ones', async () => {
    const dropped = [
      file('one.pdf'),
      folder('notes', [file('a.md'), file('.DS_Store'), folder('old', [file('b.md')]), file('c.md')]),
      folder('node_modules', [file('index.js')]),
    ];
    const found = await Array.fromAsync(filesOf(dropped));
    expect(found.map((each) => `${each.folder}|${each.file.name}`)).toEqual([
      '|one.pdf',
      'notes|a.md',
      'notes/old|b.md',
      'notes|c.md',
    ]);
  });

  it('includes files without an entry, and a paste no picture of formatted text', async () => {
    const loose = { webkitGetAsEntry: () => null, getAsFile: () => new File(['x'], 'attachment.eml') };
    const text = { webkitGetAsEntry: () => null, getAsFile: () => null };
    const transfer = { types: ['text/plain', 'Files'], items: [text, loose] };
    const namesIn = async (entries: readonly DroppedEntry[]) =>
      (await Array.fromAsync(filesOf(entries))).map((each) => each.file.name);
    expect(await namesIn(entriesIn(transfer))).toEqual(['attachment.eml']);
    expect(await namesIn(entriesPasted(transfer))).toEqual(['attachment.eml']);
    expect(entriesPasted({ ...transfer, types: ['text/html', 'Files'] })).toEqual([]);
  });

  it('includes no search index of a documentation site, unless it is dropped itself', async () => {
    const site = folder('html', [file('index.html'), file('searchindex.js'), file('jquery.min.js')]);
    const found = await Array.fromAsync(filesOf([site, file('searchindex.js')]));
    expect(found.map((each) => `${each.folder}|${each.file.name}`)).toEqual(['html|index.html', '|searchindex.js']);
  });

  it('means the same kinds of files as the command line', () => {
    const chosen = (name: string) =>
      chosenFiles([Object.assign(new File(['x'], name), { webkitRelativePath: `html/${name}` })]).length > 0;
    const names = [
      'searchindex.js',
      'search_index.json',
      'site.min.css',
      'app.js.map',
      'index.js',
      'road.map',
      'a.html',
    ];
    expect(names.filter(chosen)).toEqual(names.filter((name) => !isGenerated(name)));
  });
});

describe('a deletion of selected documents', () => {
  const receipt = { documents: 0, chunks: 0, vectors: 0, full_text_entries: 0, files: 0, graph_rows: 0 };
  const selected = (count: number, passages: number) =>
    Array.from(
      { length: count },
      (_, at) => ({ id: `${at}`, title: `No. ${at}`, chunk_count: passages }) as LibraryDocument,
    );
  const sizesOf = async (documents: readonly LibraryDocument[]) => {
    const sizes: number[] = [];
    const progress = deleteSelected(documents, async (ids) => {
      sizes.push(ids.length);
      return { ...receipt, documents: ids.length, not_deleted: [] };
    });
    const handled = (await Array.fromAsync(progress)).map((each) => [each.handled, each.receipt.documents]);
    return { sizes, handled };
  };

  it('sends many documents in one request, fewer of long ones, and tells the progress after each', async () => {
    expect(await sizesOf(selected(250, 2))).toEqual({
      sizes: [100, 100, 50],
      handled: [
        [100, 100],
        [200, 200],
        [250, 250],
      ],
    });
    expect((await sizesOf(selected(5, 900))).sizes).toEqual([2, 2, 1]);
    expect((await sizesOf(selected(2, 9_000))).sizes).toEqual([1, 1]);
  });

  it('sends no further request when it is stopped', async () => {
    let requests = 0;
    for await (const _ of deleteSelected(selected(250, 2), async (ids) => {
      requests++;
      return { ...receipt, documents: ids.length, not_deleted: [] };
    }))
      break;
    expect(requests).toBe(1);
  });

  it('names what was refused, and ends with what was done when a request fails', async () => {
    let requests = 0;
    const progress = await Array.fromAsync(
      deleteSelected(selected(250, 2), async ([first = '', ...others]) => {
        if (++requests === 2) throw new Error('The server cannot be reached.');
        const refused = [{ document_id: first, message: 'Only its owner may delete this document.' }];
        return { ...receipt, documents: others.length, not_deleted: refused };
      }),
    );
    expect(requests).toBe(2);
    expect(progress.at(-1)).toMatchObject({
      handled: 100,
      receipt: { documents: 99 },
      refused: [{ document: { title: 'No. 0' }, message: 'Only its owner may delete this document.' }],
      failure: 'The server cannot be reached.',
    });
  });
});

describe('the queue of uploads', () => {
  const found = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ file: new File([], `${at}`), folder: '' }));

  it('uploads a few at a time, until all are done', async () => {
    let [active, most] = [0, 0];
    const queue = new UploadQueue(
      async (_upload, tell) => {
        most = Math.max(most, ++active);
        await Promise.resolve();
        tell({ state: { kind: 'ready', chunks: 1 } });
        active--;
      },
      () => {},
    );
    queue.add(found(10));
    await expect.poll(() => countUploads(queue.uploads)).toEqual({ total: 10, over: 10, failed: 0 });
    expect(most).toBe(3);
  });

  it('keeps the reason of a failure, and retries the task of the document', async () => {
    const tasks: (string | undefined)[] = [];
    const queue = new UploadQueue(
      async ({ taskId }, tell) => {
        tasks.push(taskId);
        tell({ documentId: 'd', taskId: 't' });
        if (taskId === undefined) throw new Error('Nothing could be read.');
        tell({ state: { kind: 'ready', chunks: 2 } });
      },
      () => {},
    );
    queue.add(found(1));
    await expect
      .poll(() => queue.uploads[0]?.state)
      .toMatchObject({ kind: 'failed', reason: 'Nothing could be read.' });
    queue.retry(1);
    await expect.poll(() => queue.uploads[0]?.state).toEqual({ kind: 'ready', chunks: 2 });
    expect(tasks).toEqual([undefined, 't']);
    queue.clear();
    expect(queue.uploads).toEqual([]);
  });

  it('retries all failed uploads for which another attempt may help', async () => {
    let isAway = true;
    const queue = new UploadQueue(
      async ({ file: { name } }, tell) => {
        if (name === '2') throw new RequestFailure(415, 'No text.', { code: 'unsupported_type' });
        if (isAway) throw new Error('The disk was full.');
        tell({ state: { kind: 'same' } });
      },
      () => {},
    );
    queue.add(found(3));
    await expect.poll(() => countUploads(queue.uploads).failed).toBe(3);
    isAway = false;
    queue.retryFailed();
    await expect.poll(() => queue.uploads.map(({ state: { kind } }) => kind)).toEqual(['same', 'same', 'failed']);
  });

  it('lists running uploads first, then failures, then the latest successes', () => {
    const upload = (key: number, state: Parameters<typeof countUploads>[0][number]['state']) => ({
      key,
      state,
      folder: '',
      file: new File([], String(key)),
    });
    const shown = shownUploads(
      [
        upload(1, { kind: 'ready', chunks: 1 }),
        upload(2, { kind: 'ready', chunks: 1 }),
        upload(3, { kind: 'failed', reason: '', remedy: null }),
        upload(4, { kind: 'sending' }),
        upload(5, { kind: 'waiting' }),
      ],
      4,
    );
    expect(shown.map(({ key }) => key)).toEqual([4, 3, 2, 1]);
  });
});

describe('after a failed upload', () => {
  const refusal = (code: string, unread?: string) => remedyOfRefusal(new RequestFailure(415, 'No.', { code, unread }));

  it('another attempt is offered unless only another file can help', () => {
    expect(refusal('unsupported_type', 'undecodable')).toBe('file');
    expect(refusal('too_large')).toBe('file');
    expect(refusal('unsupported_type', 'picture')).toBe('settings');
    expect(refusal('store_failed')).toBe('retry');
    expect(remedyOfRefusal(new RequestFailure(0, 'The server cannot be reached.'))).toBe('retry');
    expect((['file', 'settings', 'retry', null] as const).filter(canRetry)).toEqual(['settings', 'retry', null]);
  });
});

describe('the order of the list', () => {
  it('is the usual one of a column that is pressed, and the reverse when it is pressed again', () => {
    const first = readSort(null);
    expect(writeSort(first)).toBeNull();
    const bySize = sortedBy('size_in_bytes', first);
    expect(writeSort(bySize)).toBe('-size_in_bytes');
    expect(writeSort(sortedBy('size_in_bytes', bySize))).toBe('size_in_bytes');
    expect(writeSort(sortedBy('title', bySize))).toBe('title');
    expect(writeSort(sortedBy('created_at', first))).toBe('created_at');
    expect(readSort('created_at')).toEqual({ by: 'created_at', order: 'asc' });
    expect(readSort('-odd')).toEqual(first);
  });
});

describe('the address of the library', () => {
  it('contains the filters of the list', () => {
    expect(readLibraryFilter(new URLSearchParams('state=failed&title=tax&page=3'))).toEqual({
      state: 'failed',
      collection: undefined,
      title: 'tax',
      sort: { by: 'created_at', order: 'desc' },
      offset: 100,
    });
    expect(readLibraryFilter(new URLSearchParams('sort=-title')).sort).toEqual({ by: 'title', order: 'desc' });
    expect(readLibraryFilter(new URLSearchParams('state=odd&page=-1'))).toMatchObject({ state: undefined, offset: 0 });
  });
});

describe('merged receipts', () => {
  const receipt = (verified: Receipt['verified']): Receipt => ({
    documents: 1,
    chunks: 2,
    vectors: 2,
    full_text_entries: 2,
    files: 1,
    graph_rows: 0,
    ...(verified !== undefined && { verified }),
  });

  it('are verified only if all are', () => {
    expect(addReceipts([receipt(true), receipt(true)])).toMatchObject({ documents: 2, chunks: 4, verified: true });
    expect(addReceipts([receipt(true), receipt('pending')]).verified).toBe('pending');
    expect(addReceipts([receipt(false), receipt('pending')]).verified).toBe(false);
    expect(addReceipts([receipt(true), receipt(undefined)]).verified).toBeUndefined();
  });
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_400, '1 KB'],
  [999_499, '999 KB'],
  [999_500, '1.0 MB'],
  [25_340_000, '25.3 MB'],
])('shows a file of %d bytes as %s', (bytes, words) => expect(source.size(bytes)).toBe(words));
