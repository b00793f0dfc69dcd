/** Values of OpenTelemetry's attributes; undefined ones are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface SpanStart {
  readonly name: string;
  /** `server` for a request that is answered, `client` for one that is sent; internal by default. */
  readonly kind?: 'server' | 'client';
  readonly attributes?: SpanAttributes;
  /** The `traceparent` header (W3C Trace Context) that a caller sent. */
  readonly traceParent?: string | undefined;
}

/** A span that has begun. It never contains questions, documents or answers. */
export interface OpenSpan {
  readonly traceId: string;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks it as failed. */
  fail(error: unknown): void;
  end(): void;
  /** Spans that begin in this work become its children. */
  run<Result>(work: () => Result): Result;
}

/** Records what happens as OpenTelemetry's spans. Nothing is recorded, and nothing costs, where the port is absent. */
export interface Traces {
  /** A child of the current span, or of the caller's. */
  start(span: SpanStart): OpenSpan;
  /** Identifiers of the current span, for log lines and error responses. */
  current(): { readonly traceId: string; readonly spanId: string } | undefined;
  /** Sends what has been recorded. */
  close(): Promise<void>;
}

/** Does the work in a span; its failure is noted and thrown on. */
export async function inSpan<Result>(
  traces: Traces,
  start: SpanStart,
  work: (span: OpenSpan) => Promise<Result>,
): Promise<Result> {
  const span = traces.start(start);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
