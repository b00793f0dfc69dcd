import './quality.css';
import { RequestFailure } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { route, setQuery } from '../../router.ts';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { type Evaluation, loadEvaluation, loadEvaluations } from './quality-data.ts';
import { askAgain, scoreRows } from './score-rows.ts';

/** The Quality view: evaluation results compared with the previous evaluation. */
export function QualityView() {
  const list = useResource(loadEvaluations, []);
  const all = list.kind === 'loaded' ? list.value.items : [];
  const id = route.value.query.get('evaluation') ?? all[0]?.id;
  const evaluation = useResource(async (signal) => (id === undefined ? undefined : loadEvaluation(id, signal)), [id]);
  return (
    <div class="quality">
      <h1>{texts.quality.title}</h1>
      {list.kind === 'loading' && <p class="notice">{texts.loading}</p>}
      {list.kind === 'failed' &&
        (list.error instanceof RequestFailure && list.error.status === 403 ? (
          <p class="notice">{texts.quality.forbidden}</p>
        ) : (
          <Failure error={list.error} retry={list.reload} />
        ))}
      {list.kind === 'loaded' && all.length === 0 && (
        <div class="card">
          <p>{texts.quality.empty}</p>
          <pre class="quality-command">{texts.quality.commands.join('\n')}</pre>
        </div>
      )}
      {all.length > 0 && (
        <label class="quality-choice">
          <span>{texts.quality.evaluation}</span>
          <select value={id} onChange={({ currentTarget: { value } }) => setQuery({ evaluation: value })}>
            {all.map((each) => (
              <option key={each.id} value={each.id}>
                {texts.quality.option(new Date(each.started_at).toLocaleString(), each.question_count)}
              </option>
            ))}
          </select>
        </label>
      )}
      {evaluation.kind === 'failed' && <Failure error={evaluation.error} retry={evaluation.reload} />}
      {evaluation.kind === 'loaded' && evaluation.value !== undefined && <Shown evaluation={evaluation.value} />}
    </div>
  );
}

function Shown({ evaluation }: { readonly evaluation: Evaluation }) {
  const { difference, questions } = evaluation;
  const withFaults = questions.filter(({ faults }) => faults.length > 0);
  return (
    <>
      {!evaluation.is_whole && (
        <p class="notice">{texts.quality.stopped(evaluation.question_count, evaluation.questions_in_file)}</p>
      )}
      <section class="card" aria-labelledby="quality-scores">
        <h2 id="quality-scores">{texts.quality.scores}</h2>
        <p class="notice">
          {difference === null
            ? texts.quality.first
            : texts.quality.against(new Date(difference.before.started_at).toLocaleString(), difference.shared)}
        </p>
        <div class="quality-scroll">
          <ScoreTable evaluation={evaluation} />
        </div>
        {difference !== null && difference.setup_changes.length > 0 && (
          <>
            <h3>{texts.quality.setup}</h3>
            <ul>
              {difference.setup_changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          </>
        )}
      </section>
      <section class="card" aria-labelledby="quality-faults">
        <h2 id="quality-faults">{texts.quality.faults(withFaults.length, questions.length)}</h2>
        <ul class="quality-faults">
          {withFaults.map(({ id, question, faults }) => (
            <li key={id}>
              <Link href={askAgain(question)}>{question}</Link>
              <p class="notice">{faults.join('; ')}</p>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function ScoreTable({ evaluation }: { readonly evaluation: Evaluation }) {
  return (
    <table class="quality-scores">
      <thead>
        <tr>
          <th scope="col">{texts.quality.score}</th>
          <th scope="col">{texts.quality.now}</th>
          {evaluation.difference !== null && (
            <>
              <th scope="col">{texts.quality.before}</th>
              <th scope="col">{texts.quality.change}</th>
              <th scope="col">{texts.quality.chance}</th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {scoreRows(evaluation).map(({ score, now, difference, change }) => (
          <tr key={score}>
            <th scope="row">
              {texts.quality.meaning(score)} <code>{score}</code>
            </th>
            <td>{now.toFixed(3)}</td>
            {evaluation.difference !== null && (
              <>
                <td>{difference?.before.toFixed(3)}</td>
                <td class={`quality-${change}`}>
                  {difference !== undefined &&
                    `${difference.mean_difference > 0 ? '+' : ''}${difference.mean_difference.toFixed(3)} `}
                  {texts.quality.changes[change]}
                </td>
                <td>{difference?.p_value.toFixed(3)}</td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
