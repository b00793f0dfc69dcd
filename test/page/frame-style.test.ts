import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { PAGE_POLICY } from '../../src/http/send-page.ts';
import { FRAME_STYLE } from '../../src/page/app/views/source/html/frame-style.ts';

it('matches the hash in the content security policy', () => {
  const hash = createHash('sha256').update(FRAME_STYLE).digest('base64');
  expect(PAGE_POLICY).toContain(`style-src 'self' 'sha256-${hash}'`);
});
