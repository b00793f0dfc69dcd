import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import { lazyResult } from '../../shared/lazy-result.ts';

/** Encrypts stored data that must not be readable from the database alone. */
export interface SecretBox {
  /** `purpose` binds the text to its context: only the same purpose opens it. */
  seal(text: string, purpose: string): Promise<string>;
  /** Throws `not_configured` if the text was sealed with another key or modified. */
  open(sealed: string, purpose: string): Promise<string>;
}

const FORMAT = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with a key derived from the result of `readKey`, which is called on first use. */
export function createSecretBox(readKey: () => Promise<string>): SecretBox {
  const derive = lazyResult(async () => {
    const key = Buffer.from(hkdfSync('sha256', await readKey(), '', 'citewell credentials', 32));
    return { key, name: createHash('sha256').update(key).digest('hex').slice(0, 8) };
  });

  return {
    async seal(text, purpose) {
      const { key, name } = await derive();
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return [FORMAT, name, Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')].join('.');
    },

    async open(sealed, purpose) {
      const { key, name } = await derive();
      const [format, sealedWith, data] = sealed.split('.');
      if (format !== FORMAT || data === undefined)
        throw unreadable('They are in a form that this version does not read.');
      if (sealedWith !== name) throw unreadable('They were encrypted with another key.');
      const bytes = Buffer.from(data, 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(purpose))
          .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (error) {
        throw unreadable('They were changed in the database.', error);
      }
    },
  };
}

const unreadable = (why: string, cause?: unknown): ServiceError =>
  new ServiceError(
    'not_configured',
    `The credentials of this source cannot be decrypted. ${why} ` +
      'Set CITEWELL_SECRET_KEY to the key they were encrypted with, or remove the source and add it again; its documents stay.',
    { cause },
  );
