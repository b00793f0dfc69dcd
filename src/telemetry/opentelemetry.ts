import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { ServiceError } from '../errors.ts';
import type { OpenSpan, SpanAttributes, Traces } from './traces.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/** Traces that use a given tracer, such as that of a host program. `close` should flush the tracer. */
export function createTraces(tracer: Tracer, close: () => Promise<void> = async () => {}): Traces {
  // Does not use OpenTelemetry's global context, which belongs to the host program.
  const contexts = new AsyncLocalStorage<Context>();
  const active = (): Context => contexts.getStore() ?? ROOT_CONTEXT;
  return {
    start({ name, kind, attributes = {}, traceParent }) {
      const parent = traceParent === undefined ? undefined : readTraceParent(traceParent);
      const context = parent === undefined ? active() : trace.setSpanContext(ROOT_CONTEXT, parent);
      const options = { attributes: defined(attributes), ...(kind && { kind: KINDS[kind] }) };
      const span = tracer.startSpan(name, options, context);
      return openSpan(span, (work) => contexts.run(trace.setSpan(context, span), work));
    },
    current() {
      const span = trace.getSpanContext(active());
      return span && { traceId: span.traceId, spanId: span.spanId };
    },
    close,
  };
}

function openSpan(span: Span, run: OpenSpan['run']): OpenSpan {
  const failAs = (type: string) => {
    span.setAttribute('error.type', type);
    // The message is left out, because it may contain a file name, an address or the content of a request.
    span.setStatus({ code: SpanStatusCode.ERROR });
  };
  return {
    traceId: span.spanContext().traceId,
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(defined(attributes)),
    fail: (error) => failAs(typeOf(error)),
    failAs,
    end: () => span.end(),
    run,
  };
}

const typeOf = (error: unknown): string =>
  error instanceof ServiceError ? error.code : error instanceof Error ? error.name : typeof error;

const defined = (attributes: SpanAttributes) =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? [...value] : (value as string | number | boolean)]],
    ),
  );

/** Parses https://www.w3.org/TR/trace-context/#traceparent-header; undefined if it is invalid. */
function readTraceParent(header: string): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] =
    /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(header.trim()) ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
