import { useEffect, useRef } from 'preact/hooks';
import { route } from '../router.ts';
import { texts } from '../texts.ts';
import { Announcements, announce } from './announcements.tsx';
import { Link } from './link.tsx';
import { loadSession, SignIn, session } from './session.tsx';
import { takeStrayFiles } from './stray-files.ts';
import { viewOf, views } from './views.tsx';

/** The frame around all views: navigation, current view, announcements for screen readers. */
export function App() {
  useEffect(() => void loadSession(), []);
  useEffect(takeStrayFiles, []);
  const { path } = route.value;
  const view = viewOf(path);
  const isSignedOut = session.value.kind === 'signed_out';
  const title = isSignedOut ? texts.signIn.title : view.title;
  const isFirstView = useRef(true);
  useEffect(() => {
    document.title = `${title} · ${texts.name}`;
    // The browser announces the title of a page that it loads, but not a title set by a script.
    if (!isFirstView.current) announce(title);
    isFirstView.current = false;
  }, [title]);
  return (
    <>
      <a class="skip" href="#view">
        {texts.skip}
      </a>
      <header class="bar">
        <Link href="/" class="brand">
          <Brand />
          {texts.name}
        </Link>
        <nav aria-label={texts.navigation}>
          <ul>
            {views.map(({ href, title }) => (
              <li key={href}>
                <Link href={href} aria-current={view.href === href ? 'page' : undefined} data-title={title}>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="view" tabIndex={-1}>
        {isSignedOut ? <SignIn /> : <view.Component />}
      </main>
      <Announcements />
    </>
  );
}

const Brand = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" class="brand-ground" />
    <path
      class="brand-sign"
      d="M9 21c-2-1-3-3-3-6 0-4 2-6 6-7l1 2c-2 1-3 2-3 4h3v7zm11 0c-2-1-3-3-3-6 0-4 2-6 6-7l1 2c-2 1-3 2-3 4h3v7z"
    />
  </svg>
);
