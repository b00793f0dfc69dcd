import { type ComponentChild, h } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../../parts/copy-button.tsx';
import { texts } from '../../texts.ts';
import { type AnswerState, sentencesWithoutSupport } from './answer-state.ts';
import { Chip } from './chip.tsx';
import { Formula } from './formula.tsx';
import { insertMarkers } from './insert-markers.ts';
import type { Node } from './markdown-tree.ts';
import { streamingText } from './streaming-text.ts';

type Render = typeof import('./markdown-tree.ts').markdownTree;
let loaded: Render | undefined;

async function loadMarkdown(): Promise<Render> {
  const { markdownTree } = await import('./markdown-tree.ts');
  loaded = markdownTree;
  return markdownTree;
}

/** Preloads the renderer, so that the first words are not shown as unrendered Markdown. */
export const prepareAnswerBody = (): void => void loadMarkdown().catch(() => undefined);

/** The Markdown renderer, loaded on first use; undefined until then. */
function useMarkdown(): Render | undefined {
  const [render, setRender] = useState<Render | undefined>(() => loaded);
  useEffect(() => {
    // Does not check `loaded`, which may have been set since the first rendering, when `render` was initialised.
    if (render !== undefined) return;
    // Without the renderer, the plain text is shown.
    loadMarkdown().then(
      (markdownTree) => setRender(() => markdownTree),
      () => {},
    );
  }, []);
  return render;
}

/** The text of an answer with a chip at each marker; unsupported sentences are underlined. */
export function AnswerBody({ turn, answer }: { readonly turn: string; readonly answer: AnswerState }) {
  const render = useMarkdown();
  const { text, marks, unsupported, phase } = answer;
  const isWriting = phase === 'streaming';
  const nodes = useMemo(() => {
    const shown = isWriting ? streamingText(text, marks) : text;
    return render === undefined
      ? [shown]
      : render(insertMarkers(shown, marks, isWriting ? [] : sentencesWithoutSupport(answer)));
  }, [render, text, marks, unsupported, isWriting]);
  const show = (node: Node, place: number): ComponentChild => {
    if (typeof node === 'string') return node;
    switch (node.kind) {
      case 'mark': {
        const mark = marks[node.index];
        return mark === undefined ? null : (
          <Chip key={`mark-${node.index}`} turn={turn} index={node.index} mark={mark} answer={answer} />
        );
      }
      case 'unsupported':
        return (
          <span key={place} class="unsupported">
            {node.children.map(show)}
          </span>
        );
      case 'note':
        return (
          <small key={`note-${node.index}`} class="unsupported-note">
            {texts.ask.unsupported}
          </small>
        );
      case 'formula':
        return <Formula key={place} source={node.source} isDisplay={node.isDisplay} />;
      case 'together':
        return (
          <span key={place} class="together">
            {node.children.map(show)}
          </span>
        );
      case 'element': {
        const children = node.children.map(show);
        if (node.tag === 'a') {
          return (
            <a key={place} href={node.href ?? ''} target="_blank" rel="noopener noreferrer nofollow">
              {children}
            </a>
          );
        }
        if (node.tag === 'table') {
          return (
            <div key={place} class="table-frame">
              <table>{children}</table>
            </div>
          );
        }
        if (node.tag === 'pre') {
          return (
            <div key={place} class="code-frame">
              {!isWriting && <CopyButton text={textOf(node)} label={texts.ask.copyCode} />}
              <pre>{children}</pre>
            </div>
          );
        }
        const { tag, start, align } = node;
        const given = {
          ...(start !== undefined && { start }),
          ...(align !== undefined && { class: `align-${align}` }),
        };
        return h(belowQuestion[tag] ?? tag, { key: place, ...given }, children);
      }
    }
  };
  return <div class={render === undefined ? 'answer-text plain' : 'answer-text'}>{nodes.map(show)}</div>;
}

/** Headings of an answer are below that of its question, which is of the second level. */
const belowQuestion: Readonly<Partial<Record<string, string>>> = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6' };

/** The text of a block of code, without the line break at its end. */
const textOf = (node: Node): string =>
  typeof node === 'string' ? node : 'children' in node ? node.children.map(textOf).join('').replace(/\n$/, '') : '';
