import type { ComponentType } from 'preact';
import { texts } from '../texts.ts';
import { AskView } from '../views/ask/ask-view.tsx';
import { lazy } from './lazy.tsx';
import { Link } from './link.tsx';

interface View {
  readonly href: string;
  readonly title: string;
  readonly Component: ComponentType;
}

/** The views of the navigation. All but the first are loaded on demand. */
export const views: readonly View[] = [
  { href: '/', title: texts.ask.title, Component: AskView },
  {
    href: '/search',
    title: texts.search.title,
    Component: lazy(async () => (await import('../views/search/search-view.tsx')).SearchView),
  },
  {
    href: '/library',
    title: texts.library.title,
    Component: lazy(async () => (await import('../views/library/library-view.tsx')).LibraryView),
  },
  {
    href: '/graph',
    title: texts.graph.title,
    Component: lazy(async () => (await import('../views/graph/graph-view.tsx')).GraphView),
  },
  {
    href: '/quality',
    title: texts.quality.title,
    Component: lazy(async () => (await import('../views/quality/quality-view.tsx')).QualityView),
  },
  {
    href: '/settings',
    title: texts.settings.title,
    Component: lazy(async () => (await import('../views/settings/settings-view.tsx')).SettingsView),
  },
];

const source: View = {
  href: '/d',
  title: texts.source.title,
  Component: lazy(async () => (await import('../views/source/source-view.tsx')).SourceView),
};

const missing: View = {
  href: '',
  title: texts.missing.title,
  Component: () => (
    <>
      <h1>{texts.missing.title}</h1>
      <p class="notice">
        {texts.missing.text} <Link href="/">{texts.missing.home}</Link>
      </p>
    </>
  ),
};

/** The view for a path; a not-found view for unknown paths. */
export function viewOf(path: string): View {
  if (path.startsWith('/d/')) return source;
  return views.find(({ href }) => href === path) ?? missing;
}
