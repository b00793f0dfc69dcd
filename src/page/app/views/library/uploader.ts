import { call, RequestFailure } from '../../api/request.ts';
import { stateOfStage } from './library-data.ts';
import { persistently } from './persistently.ts';
import type { Remedy } from './remedy.ts';
import type { RunUpload, UploadState } from './upload-queue.ts';

interface Accepted {
  readonly document_id: string;
  readonly task_id: string | null;
}

interface UploaderParts {
  /** Collection for new files; undefined for the default one. */
  collectionId(): string | undefined;
  /** Settles when the user is signed in, or the signal aborts. */
  signedIn(signal: AbortSignal): Promise<void>;
}

/** Uploads a file, or retries its failed task, and follows it until it is finished, also over restarts of the server. */
export const createUploader =
  ({ collectionId, signedIn }: UploaderParts): RunUpload =>
  async (upload, onChange, signal) => {
    const collection = collectionId();
    let { documentId, taskId } = upload;
    const untilAnswered = <Result>(request: () => Promise<Result>): Promise<Result> =>
      persistently(request, {
        signal,
        onWait: () => onChange({ state: { kind: 'disconnected' } }),
        signedIn: () => signedIn(signal),
      });
    if (documentId !== undefined && taskId !== undefined) {
      const retry = `/v3/tasks/${taskId}/retry`;
      await untilAnswered(() => call(retry, { method: 'POST', signal }));
    } else {
      const accepted = await untilAnswered(() => {
        onChange({ state: { kind: 'sending' } });
        return submit(formOf(upload, collection), signal);
      });
      if (accepted === undefined) return onChange({ state: { kind: 'same' } });
      documentId = accepted.document_id;
      taskId = accepted.task_id ?? undefined;
      if (taskId === undefined) return onChange({ documentId, state: { kind: 'same' } });
      onChange({ documentId, taskId });
    }
    const id = documentId;
    const onProgress = (state: UploadState) => onChange({ state });
    let end = await follow(id, onProgress, signal);
    while (end === undefined) {
      end = resultOf(await untilAnswered(() => call<FollowedDocument>(`/v3/documents/${id}`, { signal })));
      end ??= await follow(id, onProgress, signal);
    }
    onChange({ state: end });
  };

/** Submits an upload; undefined if the document already exists. */
const submit = (body: FormData, signal: AbortSignal): Promise<Accepted | undefined> =>
  call<Accepted>('/v3/documents', { method: 'POST', body, signal }).catch((error: unknown) => {
    if (error instanceof RequestFailure && error.status === 409) return undefined;
    throw error;
  });

function formOf({ file, folder, url }: Parameters<RunUpload>[0], collectionId: string | undefined): FormData {
  const form = new FormData();
  form.set('queued', 'true');
  if (folder !== '') form.set('metadata', JSON.stringify({ folder }));
  if (collectionId !== undefined) form.set('collection_ids', JSON.stringify([collectionId]));
  if (url === undefined) form.set('file', file, file.name);
  else form.set('url', url);
  return form;
}

interface FollowedDocument {
  readonly ingestion_status: string;
  readonly failure: string | null;
  readonly failure_remedy: Remedy | null;
  readonly chunk_count: number;
}

/** The final state of a document; undefined while it is being ingested. */
function resultOf(document: FollowedDocument): UploadState | undefined {
  const { failure, failure_remedy: remedy, chunk_count: chunks } = document;
  switch (stateOfStage(document.ingestion_status)) {
    case 'ready':
      return { kind: 'ready', chunks };
    case 'failed':
      return { kind: 'failed', reason: failure ?? '', remedy };
    case 'working':
      return undefined;
  }
}

/** Pause before a stream that the browser has given up is opened again. */
const REOPEN_AFTER_MS = 2_000;

/**
 * Follows a document's event stream to its last event, which gives the final state. The browser reconnects after a lost
 * connection, but gives up when the answer is no stream: if the session has expired, or a proxy has no server behind
 * it. The state is then undefined.
 */
function follow(
  documentId: string,
  onChange: (state: UploadState) => void,
  signal: AbortSignal,
): Promise<UploadState | undefined> {
  const source = new EventSource(`/v3/documents/${documentId}/events`);
  let latest: UploadState = { kind: 'working', stage: 'pending' };
  return new Promise((resolve) => {
    const end = (state: UploadState | undefined): void => {
      source.close();
      resolve(state);
    };
    signal.addEventListener('abort', () => end(undefined));
    for (const name of eventNames) {
      source.addEventListener(name, ({ data }) => {
        const state = stateOf(name, JSON.parse(data));
        if (state === undefined) return;
        if (state.kind !== 'working') return end(state);
        latest = state;
        onChange(latest);
      });
    }
    source.onopen = () => onChange(latest);
    source.onerror = () => {
      onChange({ kind: 'disconnected' });
      if (source.readyState === EventSource.CLOSED) setTimeout(end, REOPEN_AFTER_MS);
    };
  });
}

const eventNames = ['status', 'progress', 'postponed', 'ingested', 'failed', 'cancelled'] as const;
type EventName = (typeof eventNames)[number];

interface EventData {
  readonly ingestion_status?: string;
  readonly done?: number;
  readonly total?: number;
  readonly reason?: string;
  readonly chunk_count?: number;
  readonly failure_remedy?: Remedy | null;
}

/** State for an event; undefined if a later event reports the result. */
function stateOf(name: EventName, data: EventData): UploadState | undefined {
  const { ingestion_status: stage = 'pending', done, total, reason = '', failure_remedy: remedy = null } = data;
  switch (name) {
    case 'status':
      return stage === 'success' || stage === 'failed' ? undefined : { kind: 'working', stage };
    case 'progress':
      return {
        kind: 'working',
        stage,
        ...(done !== undefined && total !== undefined && { done, total }),
      };
    case 'postponed':
      return { kind: 'postponed', reason };
    case 'ingested':
      return { kind: 'ready', chunks: data.chunk_count };
    case 'failed':
    case 'cancelled':
      return { kind: 'failed', reason, remedy };
  }
}
