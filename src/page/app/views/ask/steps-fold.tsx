import { texts } from '../../texts.ts';
import type { AnswerState, MadeFile } from './answer-state.ts';
import { describeStep } from './steps.ts';
import { isOpen } from './turns.ts';

/** Image types that are shown inline; other files are only linked. */
const PICTURE = /^image\/(png|jpeg|gif|webp)$/;

const MAX_RESULT = 4_000;

/** The agent's steps in plain words; collapsed when the answer is complete. */
export function StepsFold({ answer }: { readonly answer: AnswerState }) {
  const { steps, thinking } = answer;
  if (steps.length === 0 && thinking === '') return null;
  const latest = steps.at(-1);
  return (
    <div class="steps">
      {steps.length > 0 && (
        <details>
          <summary>
            {texts.ask.steps(steps.length)}
            {isOpen(answer) && latest !== undefined && <span class="notice"> · {describeStep(latest)}</span>}
          </summary>
          <ol>
            {steps.map((step) => (
              <li key={step.id}>
                {step.remark !== undefined && <p class="notice">{step.remark}</p>}
                {step.result === undefined ? (
                  describeStep(step)
                ) : (
                  <details>
                    <summary>{describeStep(step)}</summary>
                    <pre class="step-result">{step.result.slice(0, MAX_RESULT)}</pre>
                  </details>
                )}
              </li>
            ))}
          </ol>
        </details>
      )}
      <Files files={steps.flatMap(({ files }) => files ?? [])} />
      {thinking !== '' && (
        <details>
          <summary>{texts.ask.thinking}</summary>
          <p class="thinking">{thinking}</p>
        </details>
      )}
    </div>
  );
}

function Files({ files }: { readonly files: readonly MadeFile[] }) {
  if (files.length === 0) return null;
  return (
    <ul class="made-files" aria-label={texts.ask.madeFiles}>
      {files.map(({ name, link, mime_type: type, size }) => {
        const shown = name.replace(/^out\//, '');
        return (
          <li key={link}>
            <a href={link} download={shown}>
              {PICTURE.test(type) && <img src={link} alt="" loading="lazy" />}
              {shown}
            </a>{' '}
            <span class="notice">{texts.source.size(size)}</span>
          </li>
        );
      })}
    </ul>
  );
}
