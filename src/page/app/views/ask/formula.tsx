import { useEffect, useRef, useState } from 'preact/hooks';
import { temmlOptions } from './temml-options.ts';

interface FormulaProps {
  /** In TeX. */
  readonly source: string;
  /** Whether it stands on a line of its own. */
  readonly isDisplay: boolean;
}

/** A formula as MathML, which Temml draws; loaded for the first formula. Until then, or if it cannot be drawn, its source. */
export function Formula({ source, isDisplay }: FormulaProps) {
  const target = useRef<HTMLSpanElement>(null);
  const [drawn, setDrawn] = useState<string>();
  useEffect(() => {
    let isLatest = true;
    const draw = async () => {
      const [{ default: temml }] = await Promise.all([import('temml'), import('temml/dist/Temml-Local.css')]);
      if (!isLatest || target.current === null) return;
      temml.render(source, target.current, { ...temmlOptions, displayMode: isDisplay });
      setDrawn(source);
    };
    // What Temml does not understand is shown as it was written.
    draw().catch(() => undefined);
    return () => {
      isLatest = false;
    };
  }, [source, isDisplay]);
  const isDrawn = drawn === source;
  return (
    <span class={isDisplay ? 'formula formula-display' : 'formula'}>
      <span ref={target} hidden={!isDrawn} />
      {!isDrawn && <code>{source}</code>}
    </span>
  );
}
