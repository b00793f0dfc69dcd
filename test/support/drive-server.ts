import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { jwtVerify } from 'jose';
import type { RemoteNetwork } from '../../src/sources/connector.ts';
import { cutOnFailure } from './cut-on-failure.ts';

export interface DriveEntry {
  readonly id: string;
  name: string;
  readonly mimeType: string;
  parents: string[];
  content?: string;
  trashed?: boolean;
  readonly driveId?: string;
  /** Id of the file that a shortcut points to. */
  readonly target?: string;
  /** False if the file is not shared with the account. */
  isShared?: boolean;
}

const GOOGLE = 'application/vnd.google-apps.';
export const DOCUMENT = `${GOOGLE}document`;
export const FORM = `${GOOGLE}form`;

const entry = (id: string, parent: string, more: Partial<DriveEntry>): DriveEntry => ({
  id,
  name: id,
  mimeType: 'text/plain',
  parents: parent === '' ? [] : [parent],
  ...more,
});
export const folder = (id: string, parent = '', more: Partial<DriveEntry> = {}): DriveEntry =>
  entry(id, parent, { mimeType: `${GOOGLE}folder`, ...more });
export const textFile = (id: string, parent: string, content: string, more: Partial<DriveEntry> = {}): DriveEntry =>
  entry(id, parent, { name: `${id}.txt`, content, ...more });
export const shortcut = (id: string, parent: string, target: string): DriveEntry =>
  entry(id, parent, { mimeType: `${GOOGLE}shortcut`, target });

interface Refusal {
  readonly path: RegExp;
  readonly status: number;
  readonly reason?: string;
  readonly retryAfter?: number;
}

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const ROBOT = 'robot@project.iam.gserviceaccount.com';
export const SERVICE_KEY = JSON.stringify({
  type: 'service_account',
  project_id: 'project',
  private_key_id: 'k1',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: ROBOT,
  token_uri: 'https://elsewhere.example.org/token',
});
export const CLIENT = { client_id: 'client', client_secret: 'hidden', refresh_token: 'refresh' };

const HOSTS = /^https:\/\/(?:www|oauth2)\.googleapis\.com\//;

/** A fake of Google's token service and Drive API v3 on loopback; `network` redirects requests for Google to it. */
export async function startDrive(
  entries: readonly DriveEntry[],
  { perAnswer = 2, isMember = true }: { readonly perAnswer?: number; readonly isMember?: boolean } = {},
) {
  const files = new Map(entries.map((each) => [each.id, { ...each }]));
  const versions = new Map<string, number>();
  const log: { readonly fileId: string; readonly isRemoved?: boolean }[] = [];
  const requests: string[] = [];
  const claims: object[] = [];
  const refusals: Refusal[] = [];
  let exportLimit = 10_000_000;
  let issued = 0;

  const isTrashed = ({ trashed = false, parents }: DriveEntry): boolean =>
    trashed || parents.some((parent) => isTrashedBy(parent));
  const isTrashedBy = (id: string): boolean => {
    const parent = files.get(id);
    return parent !== undefined && isTrashed(parent);
  };
  const visible = (id: string) => {
    const found = files.get(id === 'root' ? 'my-drive' : id);
    return found?.isShared === false ? undefined : found;
  };

  const toWire = (file: DriveEntry) => {
    const { id, name, mimeType, parents, content, driveId, target } = file;
    const version = versions.get(id) ?? 1;
    const bytes = content ?? '';
    return {
      id,
      name,
      mimeType,
      parents,
      trashed: isTrashed(file),
      version: `${version * 7}`,
      modifiedTime: `2025-01-06T10:00:${String(version).padStart(2, '0')}.000Z`,
      webViewLink: `https://drive.google.com/file/d/${id}/view`,
      ...(!mimeType.startsWith(GOOGLE) && {
        size: `${bytes.length}`,
        md5Checksum: createHash('md5').update(bytes).digest('hex'),
      }),
      ...(driveId !== undefined && { driveId }),
      ...(target !== undefined && {
        shortcutDetails: { targetId: target, targetMimeType: files.get(target)?.mimeType ?? 'text/plain' },
      }),
    };
  };

  const server = createServer(
    cutOnFailure(async (request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      requests.push(`${request.method} ${url.pathname}${url.search}`);
      const at = refusals.findIndex(({ path }) => path.test(url.pathname));
      const refused = at === -1 ? undefined : refusals.splice(at, 1)[0];
      if (refused !== undefined) {
        if (refused.retryAfter !== undefined) response.setHeader('retry-after', `${refused.retryAfter}`);
        return fail(response, refused.status, refused.reason ?? 'backendError');
      }
      if (url.pathname === '/token') return answerToken(request, response);
      if (request.headers.authorization !== `Bearer access-${issued}`) return fail(response, 401, 'authError');
      const [, rest = ''] = /^\/drive\/v3\/(.*)$/.exec(url.pathname) ?? [];
      if (url.searchParams.get('supportsAllDrives') !== 'true') return fail(response, 404, 'notFound');
      const drive = url.searchParams.get('driveId');
      if (drive !== null && !isMember) return fail(response, 404, 'teamDriveMembershipRequired');
      if (rest === 'files') return listFiles(response, url);
      if (rest === 'changes/startPageToken') return answer(response, { startPageToken: `${log.length}` });
      if (rest === 'changes') return listChanges(response, url);
      const [, id = '', isExport] = /^files\/([^/]+)(\/export)?$/.exec(rest) ?? [];
      const file = visible(id);
      if (file === undefined) return fail(response, 404, 'notFound');
      if (isExport !== undefined) {
        if ((file.content ?? '').length > exportLimit) return fail(response, 403, 'exportSizeLimitExceeded');
        const mediaType = url.searchParams.get('mimeType') ?? '';
        return response
          .writeHead(200, { 'content-type': mediaType })
          .end(`${mediaType.split('.').at(-1)}: ${file.content}`);
      }
      if (url.searchParams.get('alt') !== 'media') return answer(response, toWire(file));
      if (file.mimeType.startsWith(GOOGLE)) return fail(response, 403, 'fileNotDownloadable');
      return response.writeHead(200, { 'content-type': file.mimeType }).end(file.content);
    }),
  );

  async function answerToken(request: IncomingMessage, response: ServerResponse) {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const given = Object.fromEntries(new URLSearchParams(body));
    const refuse = (error: string) => answer(response, { error, error_description: 'words of the server' }, 400);
    if (given['grant_type'] === 'refresh_token') {
      if (given['client_secret'] !== CLIENT.client_secret) return refuse('invalid_client');
      if (given['refresh_token'] !== CLIENT.refresh_token) return refuse('invalid_grant');
    } else {
      const options = { audience: 'https://oauth2.googleapis.com/token', issuer: ROBOT, algorithms: ['RS256'] };
      try {
        const { payload } = await jwtVerify(given['assertion'] ?? '', publicKey, options);
        claims.push(payload);
        if (payload.sub === 'nobody@example.org') return refuse('unauthorized_client');
      } catch {
        return refuse('invalid_grant');
      }
    }
    issued++;
    answer(response, { access_token: `access-${issued}`, expires_in: 3599, token_type: 'Bearer' });
  }

  function listFiles(response: ServerResponse, url: URL) {
    const query = url.searchParams.get('q') ?? '';
    const parents = [...query.matchAll(/'([\w-]+)' in parents/g)].map(([, id = '']) => id);
    const drive = url.searchParams.get('driveId');
    const found = [...files.values()].filter(
      (file) =>
        file.parents.some((parent) => parents.includes(parent)) &&
        !(query.includes('trashed = false') && isTrashed(file)) &&
        (drive === null || file.driveId === drive) &&
        (file.driveId === undefined || url.searchParams.get('includeItemsFromAllDrives') === 'true'),
    );
    const from = Number(url.searchParams.get('pageToken') ?? 0);
    const more = from + perAnswer < found.length && { nextPageToken: `${from + perAnswer}` };
    answer(response, { files: found.slice(from, from + perAnswer).map(toWire), incompleteSearch: false, ...more });
  }

  function listChanges(response: ServerResponse, url: URL) {
    const from = Number(url.searchParams.get('pageToken'));
    if (!(from <= log.length)) return fail(response, 400, 'invalid');
    const until = Math.min(from + perAnswer, log.length);
    const changes = log.slice(from, until).map(({ fileId, isRemoved = false }) => {
      const file = visible(fileId);
      const removed = isRemoved || file === undefined;
      return {
        kind: 'drive#change',
        changeType: 'file',
        fileId,
        removed,
        ...(!removed && file && { file: toWire(file) }),
      };
    });
    const more = until < log.length ? { nextPageToken: `${until}` } : { newStartPageToken: `${until}` };
    answer(response, { kind: 'drive#changeList', changes, ...more });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const network: RemoteNetwork = {
    fetch: (input, init) => fetch(String(input).replace(HOSTS, `http://127.0.0.1:${port}/`), init),
    addressOf: () => Promise.reject(new Error('Only for other protocols.')),
  };
  return {
    network,
    requests,
    refusals,
    claims,
    /** Adds or changes a file. */
    put(file: Partial<DriveEntry> & { readonly id: string }) {
      const before = files.get(file.id);
      files.set(file.id, { ...(before ?? textFile(file.id, '', '')), ...file });
      versions.set(file.id, (versions.get(file.id) ?? 1) + 1);
      log.push({ fileId: file.id });
    },
    remove(id: string) {
      files.delete(id);
      log.push({ fileId: id, isRemoved: true });
    },
    /** Empties the change log, so that page tokens issued before are rejected. */
    forgetChanges: () => log.splice(0),
    limitExports(bytes: number) {
      exportLimit = bytes;
    },
    /** Invalidates the current access token. */
    expireToken() {
      issued++;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const answer = (response: ServerResponse, value: object, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(value));
};

const fail = (response: ServerResponse, code: number, reason: string) => {
  const message = 'words of the server';
  answer(response, { error: { code, message, errors: [{ domain: 'global', reason, message }] } }, code);
};
