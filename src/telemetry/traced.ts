import type { IngestEvent, Ingestor } from '../ingest/ingestor.ts';
import type { ModelEvent, ModelRegistry, ModelRequest } from '../models/model.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import type { TraceTool } from '../toolbox/tool-context.ts';
import { inSpan, type OpenSpan, type SpanStart, type Traces } from './traces.ts';

type Method<Port> = Extract<
  { [Name in keyof Port]: Port[Name] extends (...given: never[]) => unknown ? Name : never }[keyof Port],
  string
>;

/** Wraps a port with a span around each call of the given methods, which records the length of a returned array. */
export function tracedMethods<Port extends object>(
  port: Port,
  spans: Partial<Readonly<Record<Method<Port>, SpanStart | ((port: Port) => SpanStart)>>>,
  traces: Traces,
): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const start = (spans as Readonly<Record<string | symbol, SpanStart | ((port: Port) => SpanStart) | undefined>>)[
        name
      ];
      if (start === undefined) return (...given: unknown[]) => Reflect.apply(member, target, given);
      return (...given: unknown[]) =>
        inSpan(traces, typeof start === 'function' ? start(target) : start, async (span) => {
          const result: unknown = await Reflect.apply(member, target, given);
          if (Array.isArray(result)) span.set({ 'citewell.results': result.length });
          return result;
        });
    },
  });
}

export const tracedRetriever = (retriever: Retriever, traces: Traces): Retriever => ({
  search: (query, settings, signal) =>
    inSpan(traces, { name: 'search' }, async (span) => {
      const outcome = await retriever.search(query, settings, signal);
      const { kind, strategy } = outcome.explanation;
      span.set({ 'citewell.search.kind': kind, 'citewell.search.strategy': strategy });
      span.set({ 'citewell.results': outcome.chunks.length });
      return outcome;
    }),
});

/** Spans of model calls by OpenTelemetry's conventions for generative AI, without message contents. */
export function tracedModels(models: ModelRegistry, traces: Traces): ModelRegistry {
  // One object for each model, as in the registry: callers compare them.
  const known = new WeakMap<object, ReturnType<ModelRegistry['resolve']>>();
  return {
    defaultName: (slot) => models.defaultName(slot),
    resolve(name, slot) {
      const model = models.resolve(name, slot);
      if (model.name.startsWith('builtin/')) return model;
      const traced = known.get(model) ?? { ...model, stream: (request: ModelRequest) => stream(model, request) };
      known.set(model, traced);
      return traced;
    },
  };

  async function* stream(
    model: ReturnType<ModelRegistry['resolve']>,
    request: ModelRequest,
  ): AsyncGenerator<ModelEvent, void> {
    const [provider, name] = splitName(model.name);
    const { temperature, maxTokens, topP } = request.config;
    const span = traces.start({
      name: `chat ${name}`,
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': name,
        'gen_ai.request.temperature': temperature,
        'gen_ai.request.max_tokens': maxTokens,
        'gen_ai.request.top_p': topP,
      },
    });
    try {
      for await (const event of model.stream(request)) {
        if (event.type === 'stop') {
          span.set({
            'gen_ai.response.model': event.snapshot ?? splitName(event.model)[1],
            'gen_ai.response.finish_reasons': [event.reason],
            'gen_ai.usage.input_tokens': event.usage.input,
            'gen_ai.usage.output_tokens': event.usage.output,
          });
        }
        yield event;
      }
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  }
}

/** A span for each tool call. */
export const tracedTools =
  (traces: Traces): TraceTool =>
  (tool, work) =>
    inSpan(
      traces,
      {
        name: `execute_tool ${tool}`,
        attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool },
      },
      work,
    );

/** A span for each document, with one for each of its stages. */
export const tracedIngestor = (ingestor: Ingestor, traces: Traces): Ingestor => ({
  submit: (submission, options) => ingestor.submit(submission, options),
  estimate: (submission, signal) => ingestor.estimate(submission, signal),
  readText: (submission, signal) => ingestor.readText(submission, signal),
  async *run(documentId, signal, decideRetry): AsyncGenerator<IngestEvent, void> {
    const span = traces.start({ name: 'ingest', attributes: { 'citewell.document.id': documentId } });
    const events = ingestor.run(documentId, signal, decideRetry);
    let stage: OpenSpan | undefined;
    try {
      for (;;) {
        const step = await (stage ?? span).run(() => events.next());
        if (step.done) return;
        const event = step.value;
        if (event.type === 'status') {
          stage?.end();
          const { status } = event;
          stage = status === 'success' ? undefined : span.run(() => traces.start({ name: `ingest ${status}` }));
        } else if (event.type === 'failed' || event.type === 'postponed') {
          stage?.fail(event.error);
          span.fail(event.error);
        }
        yield event;
      }
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      try {
        // Ends the ingestion if the consumer of the events has stopped early.
        await events.return();
      } finally {
        stage?.end();
        span.end();
      }
    }
  },
});

type WriteLine = (fields: object, message: string) => void;

/** Adds the identifiers of the current span to log lines, by OpenTelemetry's conventions for logs. */
export function tracedLog<Log extends Readonly<Record<'info' | 'warn' | 'error', WriteLine>>>(
  log: Log,
  traces: Traces,
) {
  const named = (fields: object): object => {
    const current = traces.current();
    return current === undefined ? fields : { trace_id: current.traceId, span_id: current.spanId, ...fields };
  };
  const info: WriteLine = (fields, message) => log.info(named(fields), message);
  const warn: WriteLine = (fields, message) => log.warn(named(fields), message);
  const error: WriteLine = (fields, message) => log.error(named(fields), message);
  return { info, warn, error };
}

/** `openai/gpt` → `['openai', 'gpt']`. */
export function splitName(qualified: string): readonly [provider: string, name: string] {
  const at = qualified.indexOf('/');
  return [qualified.slice(0, Math.max(0, at)), qualified.slice(at + 1)];
}
