import type { JSX } from 'preact';
import { isPlainClick, navigate } from '../router.ts';

/** A link to another view: navigates without reloading, and remains a real link for the browser. */
export function Link({ href, children, ...others }: JSX.IntrinsicElements['a'] & { readonly href: string }) {
  return (
    <a
      {...others}
      href={href}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}
