/** Where traces are sent by OTLP over HTTP; the members are named after OpenTelemetry's variables. */
export interface OtlpSettings {
  /** Of a collector; the full address for traces. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
}
