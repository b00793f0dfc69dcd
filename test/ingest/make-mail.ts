/** One part of a mail; several form a multipart mail. */
export interface TestPart {
  readonly type: string;
  readonly content: string | Uint8Array;
  readonly name?: string;
  readonly headers?: readonly string[];
}

export const mailHeaders = (subject: string): string =>
  `From: Ann <ann@example.org>\r\nTo: Bob <bob@example.org>\r\nSubject: ${subject}\r\nDate: Mon, 15 Jan 2024 09:30:00 +0100\r\nMIME-Version: 1.0\r\n`;

/** A mail with these parts, each in Base64. */
export function makeMail(subject: string, parts: readonly TestPart[], kind = 'mixed'): string {
  return `${mailHeaders(subject)}${makeMultipart(kind, parts)}`;
}

/** The headers and body of a multipart entity. */
export function makeMultipart(kind: string, parts: readonly TestPart[], boundary = `b-${kind}`): string {
  const body = parts.map(({ type, content, name, headers = [] }) => {
    const isWritten = type.startsWith('multipart/');
    const lines = isWritten
      ? [String(content)]
      : [
          `Content-Type: ${type}`,
          ...(name === undefined ? [] : [`Content-Disposition: attachment; filename="${name}"`]),
          'Content-Transfer-Encoding: base64',
          ...headers,
          '',
          Buffer.from(content as string)
            .toString('base64')
            .replaceAll(/.{76}/g, '$&\r\n'),
        ];
    return `--${boundary}\r\n${lines.join('\r\n')}\r\n`;
  });
  return `Content-Type: multipart/${kind}; boundary="${boundary}"\r\n\r\n${body.join('')}--${boundary}--\r\n`;
}

/** An ASN.1 element in DER. */
function asn1(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length = [];
  for (let rest = content.length; rest > 0; rest = Math.floor(rest / 256)) length.unshift(rest % 256);
  const head = content.length < 0x80 ? [tag, content.length] : [tag, 0x80 + length.length, ...length];
  return Buffer.concat([Buffer.from(head), content]);
}

const objectId = (hex: string): Buffer => asn1(0x06, Buffer.from(hex, 'hex'));

/** A signed envelope around some content, without signers; without content, a detached signature. */
export function makeSigned(content: Uint8Array | undefined): Buffer {
  const wrapped = content === undefined ? [] : [asn1(0xa0, asn1(0x04, content))];
  const encapsulated = asn1(0x30, objectId('2a864886f70d010701'), ...wrapped);
  const data = asn1(0x30, asn1(0x02, Buffer.from([1])), asn1(0x31), encapsulated, asn1(0x31));
  return asn1(0x30, objectId('2a864886f70d010702'), asn1(0xa0, data));
}

/** An envelope that only its recipients can decrypt. */
export const makeEncrypted = (): Buffer =>
  asn1(0x30, objectId('2a864886f70d010703'), asn1(0xa0, asn1(0x30, asn1(0x02, Buffer.from([0])))));

/** The same envelope as streamed by signing programs: indefinite lengths, fragmented content. */
export function makeStreamedSigned(content: Buffer): Buffer {
  const open = (tag: number, ...contents: readonly Uint8Array[]): Buffer =>
    Buffer.concat([Buffer.from([tag, 0x80]), ...contents, Buffer.from([0, 0])]);
  const pieces = Array.from({ length: Math.ceil(content.length / 50) }, (_, index) =>
    asn1(0x04, content.subarray(index * 50, (index + 1) * 50)),
  );
  const encapsulated = open(0x30, objectId('2a864886f70d010701'), open(0xa0, open(0x24, ...pieces)));
  const data = open(0x30, asn1(0x02, Buffer.from([1])), asn1(0x31), encapsulated, asn1(0x31));
  return open(0x30, objectId('2a864886f70d010702'), open(0xa0, data));
}
