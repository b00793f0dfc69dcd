import { computed, signal } from '@preact/signals';
import { keepScroll, restoreScroll } from './scroll-positions.ts';

/** The current route, from the URL: every view can be linked to and reloaded. */
export interface Route {
  readonly path: string;
  readonly query: URLSearchParams;
}

const address = signal(location.pathname + location.search);

export const route = computed<Route>(() => {
  const url = new URL(address.value, location.origin);
  return { path: url.pathname, query: url.searchParams };
});

addEventListener('popstate', () => {
  address.value = location.pathname + location.search;
  restoreScroll();
});

/** Navigates to a path. `replace` adds no history entry, for changes within a view. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (to === location.pathname + location.search) return;
  if (replace) history.replaceState(history.state, '', to);
  else {
    keepScroll();
    history.pushState(null, '', to);
  }
  address.value = to;
  if (!replace) scrollTo(0, 0);
}

/** Moves the focus to the view, for when the focused element has been removed. */
export const focusView = (): void => document.getElementById('view')?.focus({ preventScroll: true });

/** Changes query parameters of the current route; null or an empty string removes one. */
export function setQuery(
  changes: Readonly<Record<string, string | null>>,
  options: { readonly replace?: boolean } = { replace: true },
): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  navigate(location.pathname + (text === '' ? '' : `?${text}`), options);
}

/** Whether the router handles a click on a link instead of the browser. */
export const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.defaultPrevented && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);

/** URL of a document's source view, optionally with a quoted range. */
export function sourceAddress(
  documentId: string,
  {
    version,
    start,
    end,
  }: {
    readonly version?: string | undefined;
    readonly start?: number | undefined;
    readonly end?: number | undefined;
  } = {},
): string {
  const of = version === undefined ? documentId : `${documentId}@${version}`;
  return start === undefined || end === undefined ? `/d/${of}` : `/d/${of}?q=${start}-${end}`;
}
