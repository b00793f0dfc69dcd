import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { loadCode } from '../parts/load-code.ts';
import { texts } from '../texts.ts';

/** A component whose code is loaded when it is first shown. A failed load can be retried. */
export function lazy(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | undefined;
  return function Lazy() {
    const [Component, setComponent] = useState<ComponentType | undefined>(() => loaded);
    const [failure, setFailure] = useState<unknown>();
    const open = () => {
      setFailure(undefined);
      loadCode(load).then((component) => {
        loaded = component;
        setComponent(() => component);
      }, setFailure);
    };
    useEffect(() => {
      if (loaded === undefined) open();
    }, []);
    if (failure !== undefined) return <Failure error={failure} retry={open} />;
    return Component === undefined ? <p class="notice">{texts.loading}</p> : <Component />;
  };
}
