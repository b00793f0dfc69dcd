import { useRef } from 'preact/hooks';

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly name: Name; readonly title: string }[];
  readonly shown: Name;
  readonly onShow: (name: Name) => void;
  /** Id of the element with the tab's content. */
  readonly panel: string;
}

/** A tab list with arrow-key navigation. */
export function Tabs<Name extends string>({ label, tabs, shown, onShow, panel }: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  const step = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ name }) => name === shown);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    const index = (to + tabs.length) % tabs.length;
    const next = tabs[index];
    if (next === undefined) return;
    event.preventDefault();
    onShow(next.name);
    list.current?.querySelectorAll('button')[index]?.focus();
  };
  return (
    <div class="source-tabs" role="tablist" aria-label={label} ref={list} onKeyDown={step}>
      {tabs.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${panel}-${name}`}
          aria-selected={name === shown}
          aria-controls={panel}
          tabIndex={name === shown ? 0 : -1}
          onClick={() => onShow(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
