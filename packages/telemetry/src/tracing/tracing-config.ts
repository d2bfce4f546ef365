import type { EnvReader } from '@calls/foundation/env-reader';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Tracing configuration. */
export interface TracingConfig {
  serviceName: string;
  /** Base URL of an OTLP/HTTP collector, without `/v1/traces`. */
  endpoint: string;
  sampler: (typeof SAMPLERS)[number];
  /** Ratio of recorded traces, for ratio samplers. */
  ratio: number;
}

/** Null if tracing is off. Issues are collected in `env`. */
export function readTracingConfig(env: EnvReader, service: string): TracingConfig | null {
  if (env.optional('OTEL_EXPORTER_OTLP_ENDPOINT') === undefined) return null;
  const ratio = Number(env.string('OTEL_TRACES_SAMPLER_ARG', '1'));
  if (!(ratio >= 0 && ratio <= 1)) env.fault('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  return {
    serviceName: env.string('OTEL_SERVICE_NAME', service),
    endpoint: env.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
    sampler: env.oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on'),
    ratio,
  };
}
