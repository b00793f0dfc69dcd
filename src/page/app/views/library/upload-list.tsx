import { shownName } from '../../parts/shown-name.ts';
import { sourceAddress } from '../../router.ts';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { canBeRetried, countUploads, shownUploads, type Upload, type UploadState } from './upload-queue.ts';
import { uploadQueue, uploads } from './uploads.ts';

const MAX_SHOWN = 12;

/** Overall progress of the uploads, and a list of the most relevant ones. */
export function UploadList() {
  const all = uploads.value;
  if (all.length === 0) return null;
  const { total, over, failed } = countUploads(all);
  const isDone = over === total;
  const shown = shownUploads(all, MAX_SHOWN);
  return (
    <section class="card uploads" aria-label={texts.library.uploads}>
      <header>
        <p>
          <strong>
            {isDone ? texts.library.uploadsDone(total - failed, failed) : texts.library.uploading(over, total)}
          </strong>
        </p>
        {isDone ? (
          <span class="upload-actions">
            {all.filter(canBeRetried).length > 1 && (
              <button type="button" onClick={() => uploadQueue.retryFailed()}>
                {texts.library.retryAll}
              </button>
            )}
            <button type="button" onClick={() => uploadQueue.clear()}>
              {texts.library.clear}
            </button>
          </span>
        ) : (
          <button type="button" onClick={() => uploadQueue.stop()}>
            {texts.library.stopUploads}
          </button>
        )}
      </header>
      <progress value={over} max={total} aria-label={texts.library.uploads} />
      <ul>
        {shown.map((upload) => (
          <UploadLine key={upload.key} upload={upload} />
        ))}
      </ul>
      {all.length > shown.length && <p class="notice">{texts.library.moreUploads(all.length - shown.length)}</p>}
    </section>
  );
}

function UploadLine({ upload }: { readonly upload: Upload }) {
  const { file, folder, state, documentId, key, url } = upload;
  const name = shownName(folder === '' ? file.name : `${folder}/${file.name}`);
  const isThere = documentId !== undefined && (state.kind === 'ready' || state.kind === 'same');
  return (
    <li class={`upload upload-${state.kind}`}>
      <span class="upload-name">{isThere ? <Link href={sourceAddress(documentId)}>{name}</Link> : name}</span>
      <span class="upload-state">
        {url !== undefined && state.kind === 'sending' ? texts.library.fetching : describeState(state)}
      </span>
      {state.kind === 'working' && state.total !== undefined && state.total > 0 && (
        <progress value={state.done ?? 0} max={state.total} aria-label={texts.library.stage(state.stage)} />
      )}
      {state.kind === 'failed' && state.remedy !== null && state.remedy !== 'retry' && (
        <span class="upload-remedy notice">{texts.library.remedies[state.remedy]}</span>
      )}
      {canBeRetried(upload) && (
        <button type="button" onClick={() => uploadQueue.retry(key)} aria-label={texts.library.retryFile(file.name)}>
          {texts.retry}
        </button>
      )}
    </li>
  );
}

function describeState(state: UploadState): string {
  switch (state.kind) {
    case 'waiting':
      return texts.library.waiting;
    case 'sending':
      return texts.library.sending;
    case 'disconnected':
      return texts.library.disconnected;
    case 'working':
      return texts.library.stageOf(state.stage, state.done, state.total);
    case 'postponed':
      return texts.library.postponed(state.reason);
    case 'ready':
      return texts.library.ready(state.chunks);
    case 'same':
      return texts.library.same;
    case 'failed':
      return texts.library.failed(state.reason);
  }
}
