import type { z } from 'zod';
import { withoutFinalSlashes } from '../shared/text.ts';
import type { OtlpSettings } from '../telemetry/otlp-settings.ts';
import type { variables } from './variables.ts';

type Values = z.output<typeof variables>;

/** Reads OpenTelemetry's standard variables: the traces endpoint, or the common one with the path appended. */
export function otlpSettings(value: Values): { traces?: OtlpSettings } {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = value;
  const url = value.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${withoutFinalSlashes(base)}/v1/traces`);
  if (url === undefined || value.OTEL_SDK_DISABLED) return {};
  return { traces: { url, headers, serviceName: value.OTEL_SERVICE_NAME } };
}
