/** URL of the web page that shows a file at a commit; undefined for an unknown kind of server. */
export function webAddress(url: string, commit: string, path: string): string | undefined {
  const { protocol, hostname, host, pathname } = new URL(url);
  const form = Object.entries(FORMS).find(([name]) => hostname === name || isOwnServer(hostname, name))?.[1];
  if (form === undefined) return undefined;
  const repository = `${protocol}//${host}${pathname.replace(/\/$/, '').replace(/\.git$/, '')}`;
  return `${repository}${form(commit)}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

const FORMS: Readonly<Record<string, (commit: string) => string>> = {
  'github.com': (commit) => `/blob/${commit}`,
  'gitlab.com': (commit) => `/-/blob/${commit}`,
  'bitbucket.org': (commit) => `/src/${commit}`,
  'codeberg.org': (commit) => `/src/commit/${commit}`,
  'gitea.com': (commit) => `/src/commit/${commit}`,
};

/** Whether this is a self-hosted instance by its host name, such as gitlab.example.org. */
const isOwnServer = (hostname: string, name: string): boolean =>
  ['github.com', 'gitlab.com', 'gitea.com'].includes(name) && hostname.startsWith(`${name.split('.')[0]}.`);
