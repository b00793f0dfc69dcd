import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface GitOptions {
  readonly token?: string;
  /** Whether the server supports partial clone filters, as the public hosts do. */
  readonly filters?: boolean;
  readonly format?: 'sha1' | 'sha256';
  /** Parent folder of the repository; by default a temporary folder, removed after the running test. */
  readonly root?: string;
}

/** A repository, served by `git http-backend` on loopback. */
export async function startGit({ token, filters = true, format = 'sha1', root: given }: GitOptions = {}) {
  // Imported lazily: it needs Vitest, and scripts that pass `root` run without it.
  const root = given ?? (await (await import('./temporary-folder.ts')).temporaryFolder());
  const work = join(root, 'papers.git');
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@b.c',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@b.c',
  };
  const git = async (...args: string[]) => (await run('git', ['-C', work, ...args], { env })).stdout.trim();
  await mkdir(work);
  await git('init', '--quiet', '--initial-branch=main', `--object-format=${format}`);
  await git('config', 'uploadpack.allowFilter', String(filters));
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const requests: string[] = [];
  /** `intercept` answers in place of the backend if it returns true. */
  const state: { intercept?: (request: IncomingMessage, response: ServerResponse) => boolean } = {};

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    requests.push(`${request.method} ${url.pathname}`);
    if (state.intercept?.(request, response)) return;
    const expected = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
    if (token !== undefined && request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
      return;
    }
    const child = spawn(backend, {
      env: {
        ...env,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    // The program may end before it has read the whole request.
    child.stdin.on('error', () => undefined);
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      const lines = answer.toString('latin1', 0, end).split('\r\n');
      const headers = Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]));
      const status = Number.parseInt(headers['Status'] ?? '200', 10);
      delete headers['Status'];
      response.writeHead(status, headers).end(answer.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}/papers.git`,
    work,
    requests,
    state,
    git,
    /** Writes files (null deletes one), commits them, and returns the commit. */
    async commit(files: Readonly<Record<string, string | Buffer | null>>): Promise<string> {
      for (const [path, content] of Object.entries(files)) {
        if (content === null) {
          await git('rm', '--quiet', path);
          continue;
        }
        await mkdir(dirname(join(work, path)), { recursive: true });
        await writeFile(join(work, path), content);
      }
      await git('add', '--all');
      await git('commit', '--quiet', '--message=change');
      return git('rev-parse', 'HEAD');
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
