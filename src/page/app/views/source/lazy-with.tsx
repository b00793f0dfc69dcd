import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { loadCode } from '../../parts/load-code.ts';
import { texts } from '../../texts.ts';

/** Like `lazy`, for a component with properties. */
export function lazyWith<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return function LazyWith(props: Props) {
    const [fetchCode] = useState(() => () => loadCode(load));
    const code = useResource(fetchCode, []);
    if (code.kind === 'failed') return <Failure error={code.error} retry={code.reload} />;
    if (code.kind === 'loading') return <p class="notice">{texts.loading}</p>;
    const Component = code.value;
    return <Component {...props} />;
  };
}
