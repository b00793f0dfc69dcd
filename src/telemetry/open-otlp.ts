import { ServiceError } from '../errors.ts';
import type { OtlpSettings } from './otlp-settings.ts';
import type { Traces } from './traces.ts';

export interface OtlpOptions {
  readonly version: string;
  readonly warn: (message: string, cause?: unknown) => void;
  /** Loads the optional packages. */
  readonly load?: typeof loadPackages;
  /** Time limit for sending a batch of spans, including retries. */
  readonly sendingMs?: number;
}

const PACKAGES = '@opentelemetry/sdk-trace @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http';
/** Kept short, because sending and retrying delay the exit of the process if the collector does not answer. */
const SENDING_MS = 5_000;

/** Traces that are sent to a collector in batches. Throws `not_configured` if OpenTelemetry's packages are missing. */
export async function openOtlpTraces(
  settings: OtlpSettings,
  { version, warn, load = loadPackages, sendingMs = SENDING_MS }: OtlpOptions,
): Promise<Traces> {
  const { sdk, resources, otlp, createTraces } = await load();
  const { url, headers, serviceName } = settings;
  const exporter = new otlp.OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: sendingMs });
  let isFailing = false;
  const reporting: ConstructorParameters<typeof sdk.BatchSpanProcessor>[0]['exporter'] = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        // Warn once, until sending works again.
        if (result.code !== 0 && !isFailing) warn(`Traces cannot be sent to ${new URL(url).origin}.`, result.error);
        isFailing = result.code !== 0;
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: reporting })],
  });
  return createTraces(provider.getTracer('citewell', version), async () => {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, sendingMs);
    await Promise.race([provider.shutdown().catch(() => undefined), late.promise]);
    clearTimeout(timer);
  });
}

async function loadPackages() {
  try {
    const [sdk, resources, otlp, { createTraces }] = await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('./opentelemetry.ts'),
    ]);
    return { sdk, resources, otlp, createTraces };
  } catch (cause) {
    throw new ServiceError(
      'not_configured',
      `Traces are not sent: OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry's packages are not installed. Run: npm install ${PACKAGES}`,
      { cause },
    );
  }
}
