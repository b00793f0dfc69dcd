import { ServiceError } from '../../errors.ts';
import { percentDecoded } from '../../shared/text.ts';
import { defineSourceKind } from '../source-kind.ts';

/** A mailbox over IMAP. Messages are read without being marked as seen. */
export const imapKind = defineSourceKind({
  type: 'imap',
  title: 'Mailbox (IMAP)',
  schemes: ['imaps', 'imap'],
  example: 'imaps://ann%40example.org@mail.example.org/INBOX',
  fields: {
    host: { type: 'text', description: 'Name of the mail server.', example: 'mail.example.org', isRequired: true },
    port: {
      type: 'number',
      least: 1,
      most: 65_535,
      isFixed: true,
      description: '993 (the default) uses TLS; any other port uses STARTTLS unless `tls` is set.',
    },
    tls: { type: 'flag', isFixed: true, description: 'Use TLS from the start on a port other than 993.' },
    user: { type: 'text', description: 'User name, often the e-mail address.', isRequired: true },
    folders: {
      type: 'list',
      description:
        'Folders to follow; "Projects/*" means everything below Projects. Default: all folders except drafts, ' +
        'junk and deleted messages; for Gmail, "All Mail".',
      example: 'INBOX',
    },
    since: { type: 'text', description: 'Ignore messages that arrived before this day.', example: '2024-01-31' },
  },
  secrets: {
    password: {
      description: 'Password; an app password if the provider has them.',
      variable: 'CITEWELL_SOURCE_PASSWORD',
    },
    token: {
      description: 'OAuth access token (XOAUTH2), instead of a password. It is not renewed.',
      variable: 'CITEWELL_SOURCE_TOKEN',
    },
  },
  readAddress(url) {
    const folder = percentDecoded(url.pathname.slice(1));
    const since = url.searchParams.get('since');
    return {
      host: url.hostname,
      port: url.port === '' ? undefined : Number(url.port),
      ...(url.username !== '' && { user: percentDecoded(url.username) }),
      ...(url.protocol === 'imaps:' && url.port !== '' && url.port !== '993' && { tls: true }),
      ...(url.protocol === 'imap:' && url.port === '' && { port: 143 }),
      ...(folder !== '' && { folders: [folder.endsWith('/') ? `${folder}*` : folder] }),
      ...(since !== null && { since }),
    };
  },
  addressOf({ host, port, tls, user, folders, since }) {
    if (since !== undefined && !(/^\d{4}-\d{2}-\d{2}$/.test(since) && Number.isFinite(Date.parse(since)))) {
      throw new ServiceError('invalid_request', `since: "${since.slice(0, 40)}" is not a day such as 2024-01-31.`);
    }
    const scheme = (port ?? 993) === 993 || tls === true ? 'imaps' : 'imap';
    const at = port === undefined || port === (scheme === 'imaps' ? 993 : 143) ? host : `${host}:${port}`;
    const [folder, ...others] = folders ?? [];
    const path = folder === undefined || others.length > 0 ? '' : `/${encodeFolder(folder.replace(/\*$/, ''))}`;
    const parsed = URL.parse(`${scheme}://${encodeURIComponent(user)}@${at}${path}`);
    if (parsed === null)
      throw new ServiceError('invalid_request', `"${host.slice(0, 80)}" is not the name of a server.`);
    return parsed.href;
  },
  async open(settings, { password, token }, { network }) {
    if ((password === undefined) === (token === undefined)) {
      throw new ServiceError('unauthenticated', 'A mailbox needs a password or a token, one of the two.');
    }
    const { createImapConnector } = await import('./imap-connector.ts');
    const credential = token === undefined ? { pass: password ?? '' } : { accessToken: token };
    return createImapConnector({ ...settings, auth: { user: settings.user, ...credential }, network });
  },
});

/** Percent-encodes a folder name but keeps its separators. */
export const encodeFolder = (folder: string): string => folder.split('/').map(encodeURIComponent).join('/');
