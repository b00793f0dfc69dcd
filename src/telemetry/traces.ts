/** Values of OpenTelemetry's attributes; undefined ones are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface SpanStart {
  readonly name: string;
  /** `server` for an incoming request, `client` for an outgoing one; internal by default. */
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
  /** Marks the span as failed, by the code or the class of the error. */
  fail(error: unknown): void;
  /** The same for a type of error that is known by another name, such as a status of HTTP. */
  failAs(type: string): void;
  end(): void;
  /** Runs `work` with this span as the parent of the spans started in it. */
  run<Result>(work: () => Result): Result;
}

/** Records activity as OpenTelemetry spans. If this port is absent, nothing is recorded, at no cost. */
export interface Traces {
  /** Starts a child of the caller's span if `traceParent` is valid, or else of the current span. */
  start(span: SpanStart): OpenSpan;
  /** Identifiers of the current span, for log lines and error responses. */
  current(): { readonly traceId: string; readonly spanId: string } | undefined;
  /** Sends all recorded spans. */
  close(): Promise<void>;
}

/** Runs the work in a span. A failure is recorded and rethrown. */
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
