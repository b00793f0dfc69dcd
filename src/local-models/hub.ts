import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { type Checksum, download, get, refused } from '../shared/download.ts';

/** A file of a hub repository with the checksum that the hub records for it. */
export interface HubFile {
  readonly path: string;
  readonly size: number;
  readonly checksum: Checksum;
}

export interface HubRepository {
  /** Commit hash; pins all files to the same state of the repository. */
  readonly revision: string;
  readonly files: readonly HubFile[];
}

const revisionInfo = z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/) });
const tree = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.number(),
    oid: z.string(),
    lfs: z.object({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: z.number() }).optional(),
  }),
);

const UNREACHABLE = 'Set CITEWELL_MODEL_HUB to a mirror, or install from a folder with --from.';

/**
 * The files of a repository at its latest commit, from the hub's API (`/api/models/…/revision`, `/tree`). Throws
 * `invalid_request` for an unknown repository and `provider_failed` when the hub does not answer.
 */
export async function readRepository(hub: string, repository: string, signal: AbortSignal): Promise<HubRepository> {
  const at = `${hub}/api/models/${repository}`;
  const { sha: revision } = await readJson(`${at}/revision/main`, revisionInfo, { repository, signal });
  const entries = await readJson(`${at}/tree/${revision}?recursive=true`, tree, { repository, signal });
  return {
    revision,
    files: entries
      .filter(({ type }) => type === 'file')
      .map(({ path, size, oid, lfs }) => ({
        path,
        size: lfs?.size ?? size,
        checksum: lfs ? { algorithm: 'sha256', value: lfs.oid } : { algorithm: 'git-sha1', value: oid },
      })),
  };
}

async function readJson<T>(
  url: string,
  schema: z.ZodType<T>,
  { repository, signal }: { readonly repository: string; readonly signal: AbortSignal },
): Promise<T> {
  const response = await get(url, { unreachable: UNREACHABLE, signal });
  // The hub answers 401 for repositories that do not exist.
  if (response.status === 404 || response.status === 401) {
    await response.body?.cancel();
    throw new ServiceError(
      'invalid_request',
      `${new URL(url).host} has no public model "${repository}". "citewell models list" shows the models known to work.`,
    );
  }
  if (!response.ok) throw await refused(response);
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new ServiceError('provider_failed', `${new URL(url).host} is not a model hub: its answer has another form.`, {
    cause: parsed.error,
  });
}

export interface ModelDownload {
  readonly hub: string;
  readonly repository: string;
  readonly revision: string;
  readonly file: HubFile;
  readonly target: string;
  readonly signal: AbortSignal;
  /** Receives the number of bytes of this file present so far. */
  readonly onProgress: (bytes: number) => void;
}

/** Downloads a file of a repository, continuing a partial download. Throws `provider_failed`, `cancelled`. */
export async function downloadFile({ hub, repository, revision, file, ...options }: ModelDownload): Promise<void> {
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  await download({
    ...options,
    url: `${hub}/${repository}/resolve/${revision}/${path}`,
    size: file.size,
    checksum: file.checksum,
    name: `${file.path} of ${repository}`,
    unreachable: UNREACHABLE,
  });
}
