import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

/** Path of the Dovecot executable; undefined if it is not installed. */
export const dovecot = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/opt/homebrew/sbin']
  .map((folder) => join(folder, 'dovecot'))
  .find((path) => existsSync(path));

export interface MailServer {
  /** `imaps` uses implicit TLS, `imap` uses STARTTLS. */
  readonly ports: { readonly imaps: number; readonly imap: number };
  /** Self-signed certificate for localhost, in PEM format. */
  readonly certificate: string;
  /** Folder into which mail programs deliver messages, one file each (Maildir). It exists after the first login. */
  readonly delivered: string;
  close(): Promise<void>;
}

export const account = { user: 'ann@example.org', password: 'right' } as const;

/** A real mail server with one account. */
export async function startDovecot(): Promise<MailServer> {
  if (dovecot === undefined) throw new Error('Dovecot is not installed.');
  const folder = await mkdtemp(join(tmpdir(), 'citewell-mail-'));
  await chmod(folder, 0o755);
  const [imaps, imap] = await Promise.all([freePort(), freePort()]);
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { stdio: 'ignore' },
  );
  const mail = join(folder, 'mail');
  await mkdir(mail);
  // Dovecot refuses to serve mail of the root user.
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? { uid: 65_534, gid: 65_534 } : userInfo();
  if (isRoot) await chown(mail, owner.uid, owner.gid);
  const login = isRoot
    ? ''
    : `default_internal_user = ${userInfo().username}\ndefault_login_user = ${userInfo().username}`;
  await writeFile(join(folder, 'users'), `${account.user}:{PLAIN}${account.password}\n`);
  await writeFile(
    join(folder, 'dovecot.conf'),
    `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <${certificate}
ssl_key = <${key}
disable_plaintext_auth = yes
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:${mail}/%u
${login}
service imap-login {
  ${isRoot ? '' : 'chroot ='}
  inet_listener imap {
    port = ${imap}
  }
  inet_listener imaps {
    port = ${imaps}
    ssl = yes
  }
}
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = static
  args = uid=${owner.uid} gid=${owner.gid} home=${mail}/%u
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Trash {
    auto = create
    special_use = \\Trash
  }
}
`,
  );
  const server = spawn(dovecot, ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const close = async () => {
    server.kill();
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  const log = () => readFile(join(folder, 'log'), 'utf8').catch(() => '');
  const end = Date.now() + PATIENCE_MS;
  while (!(await log()).includes('starting up')) {
    if (Date.now() > end || server.exitCode !== null) {
      const said = await log();
      await close();
      throw new Error(`Dovecot did not start: ${said}`);
    }
    await sleep(20);
  }
  return {
    ports: { imaps, imap },
    certificate: await readFile(certificate, 'utf8'),
    delivered: join(mail, account.user, 'new'),
    close,
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
