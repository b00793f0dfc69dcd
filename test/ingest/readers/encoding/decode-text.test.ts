import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../../src/ingest/readers/encoding/decode-text.ts';
import { noise } from '../support.ts';

const english = 'The ferry leaves at nine.\nBring a coat, and something to read.\n';
const russian =
  'Паром отходит в девять часов утра. Возьмите с собой тёплую одежду и что-нибудь почитать.\nКасса открыта.\n';
const german = 'Die Fähre fährt täglich außer sonntags. Für Fahrräder gibt es zwölf Plätze an der Steuerbordseite.\n';
const chinese = '渡轮每天上午九点出发。\n请带上保暖的衣服，在码头等候。\n';
const traditional = '渡輪每天上午九點出發。\n請帶上保暖的衣服，在碼頭等候。\n';
const korean = '배는 매일 아침 아홉 시에 떠납니다.\n따뜻한 옷을 가져오세요.\n';
const japanese = 'フェリーは毎日九時に出発します。\nあたたかい服を持ってきてください。\n';

describe('decoding', () => {
  it.each([
    ['UTF-8', russian, 'utf-8', false],
    ['UTF-8 with a mark', russian, 'utf-8', true],
    ['UTF-16 little endian with a mark', german, 'utf-16le', true],
    ['UTF-16 big endian with a mark', german, 'utf-16be', true],
    ['UTF-16 little endian without a mark', english, 'utf-16le', false],
    ['UTF-16 big endian without a mark', english, 'utf-16be', false],
    ['Russian UTF-16 without a mark', russian, 'utf-16le', false],
    ['Chinese UTF-16 without a mark', chinese, 'utf-16be', false],
    ['UTF-32 with a mark', russian, 'utf-32le', true],
    ['UTF-32 without a mark', german, 'utf-32be', false],
    ['Windows-1252', german, 'windows-1252', false],
    ['Windows-1251', russian, 'windows-1251', false],
    ['CP866', russian, 'cp866', false],
    ['KOI8-R', russian, 'koi8-r', false],
    ['Shift JIS', japanese, 'shift_jis', false],
    ['GB 18030', chinese, 'gb18030', false],
    ['Big5', traditional, 'big5', false],
    ['EUC-KR', korean, 'euc-kr', false],
    ['EUC-JP', japanese, 'euc-jp', false],
    ['UTF-32 big endian with a mark', german, 'utf-32be', true],
    ['Chinese UTF-32 without a mark', chinese, 'utf-32le', false],
    ['Japanese UTF-16 without a mark', japanese, 'utf-16le', false],
  ])('reads %s', (_, text, encoding, addBOM) => {
    expect(decodeText(iconv.encode(text, encoding, { addBOM }))?.text).toBe(text);
  });

  it('uses the declared encoding, unless the bytes are valid UTF-8', () => {
    expect(decodeText(iconv.encode('Žluťoučký kůň', 'iso-8859-2'), { declared: 'iso-8859-2' })?.text).toBe(
      'Žluťoučký kůň',
    );
    expect(decodeText(Buffer.from('Fähre'), { declared: 'iso-8859-1' })?.text).toBe('Fähre');
  });

  it('decodes ISO-2022-JP', () => {
    const words = Buffer.from('25552527256a213c244f36653b7e244b3d50482f2437245e24392123', 'hex');
    const bytes = Buffer.concat([Buffer.from('\u001b$B'), words, Buffer.from('\u001b(B\n')]);
    expect(decodeText(bytes)?.text).toBe('フェリーは九時に出発します。\n');
  });

  it('decodes declared Latin-1 as Windows-1252, as browsers do', () => {
    const bytes = iconv.encode('“Fähre” – täglich', 'windows-1252');
    expect(decodeText(bytes, { declared: 'ISO-8859-1' })?.text).toBe('“Fähre” – täglich');
  });

  it('decodes a text with a few invalid bytes', () => {
    const bytes = Buffer.concat([Buffer.from(russian.repeat(5)), Buffer.from([0xff]), Buffer.from('end')]);
    expect(decodeText(bytes)?.text).toBe(`${russian.repeat(5)}\ufffdend`);
  });

  it('drops control characters and normalises line ends', () => {
    expect(decodeText(Buffer.from('a\0b\r\nc\rd\u0007e\ffeed and more text to read'))?.text).toBe(
      'ab\nc\nde\n\nfeed and more text to read',
    );
  });

  it('strips escape sequences of a terminal log, and does not decode it as UTF-16', () => {
    const log = '\u001b[31mred\u001b[0m\u001b]0;window\u0007 text about zebras\n';
    expect(decodeText(Buffer.from(log))).toEqual({ text: 'red text about zebras\n', encoding: 'utf-8' });
  });

  it.each([
    ['four bytes that two rare letters would have', [0, 1, 2, 0xff]],
    ['a few bytes with a space among them', [0, 0x20, 1, 2]],
    ['numbers of a machine', [1, 0, 0, 0, 0x10, 0x27, 0, 0]],
    ['letters of many scripts', [0x4e, 0x31, 0x05, 0x93, 0x0e, 0x44, 0x12, 0x80, 0xac, 0x33]],
  ])('rejects %s', (_, bytes) => {
    expect(decodeText(Uint8Array.from(bytes))).toBeUndefined();
  });

  it.each(['utf-16le', 'utf-16be', 'utf-32le'])('reads a single word in %s', (encoding) => {
    expect(decodeText(iconv.encode('Fähre', encoding, { addBOM: false }))?.text).toBe('Fähre');
  });

  it('rejects random bytes', () => {
    for (let size = 64; size < 100_000; size *= 3) expect(decodeText(noise(size))).toBeUndefined();
  });
});
