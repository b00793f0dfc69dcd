import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';

// Loaded without its type declarations, which need the types of an older Node.
const { v2 } = createRequire(import.meta.url)('webdav-server') as { readonly v2: Library };

interface Library {
  readonly WebDAVServer: new (options: object) => Server;
  readonly SimpleUserManager: new () => { addUser(name: string, password: string, isAdmin: boolean): object };
  readonly SimplePathPrivilegeManager: new () => { setRights(user: object, path: string, rights: string[]): void };
  readonly HTTPBasicAuthentication: new (users: object, realm: string) => object;
}

interface Server {
  executeRequest(request: IncomingMessage, response: ServerResponse): void;
}

/** A WebDAV server on loopback, with files in memory and one user. */
export async function startWebdav(user: string, password: string) {
  const users = new v2.SimpleUserManager();
  const privileges = new v2.SimplePathPrivilegeManager();
  privileges.setRights(users.addUser(user, password, false), '/', ['all']);
  const files = new v2.WebDAVServer({
    requireAuthentification: true,
    privilegeManager: privileges,
    httpAuthentication: new v2.HTTPBasicAuthentication(users, 'files'),
  });
  const requests: string[] = [];
  /** `intercept` answers in place of the server if it returns true. */
  const state: { intercept?: (request: IncomingMessage, response: ServerResponse) => boolean } = {};
  // The library's own server cannot listen on a random free port (port 0).
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (!state.intercept?.(request, response)) files.executeRequest(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const send = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const url = `http://127.0.0.1:${port}/${path.split('/').map(encodeURIComponent).join('/')}`;
    const answer = await fetch(url, {
      method,
      headers: { ...headers, authorization },
      ...(body !== undefined && { body }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
  };
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    state,
    folder: (path: string) => send('MKCOL', path),
    put: (path: string, text: string) => send('PUT', path, text),
    remove: (path: string) => send('DELETE', path),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
