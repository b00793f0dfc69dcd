import type { Response } from 'express';

/**
 * Content security policy of our pages: files of this server, and images from `data:` and `blob:` URLs. No inline
 * scripts or style elements, no framing. Workers are for pdf.js.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Hash of the inline style in the frame that shows a foreign page; see `FRAME_STYLE` of the source view.
  "style-src 'self' 'sha256-AAd18e0Irmjn75JslCnirIJpqXDgZjfmO6qhdSy+FDc='",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a file of a page with its security headers. */
export function sendPageFile(
  response: Response,
  file: string,
  { root, cacheControl }: { readonly root: string; readonly cacheControl: string },
): void {
  response.set({
    'Content-Security-Policy': PAGE_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
  });
  response.sendFile(file, { root, cacheControl: false, headers: { 'Cache-Control': cacheControl } });
}
