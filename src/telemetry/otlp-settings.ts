/** Export of traces by OTLP over HTTP; the members are named after OpenTelemetry's variables. */
export interface OtlpSettings {
  /** Full URL of the collector's endpoint for traces. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
}
