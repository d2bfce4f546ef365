import type { EnvReader } from '@calls/foundation/env-reader';
import { choice, InvalidVariableError, parsed, text, url } from '@calls/foundation/variable';

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

const VARIABLES = {
  OTEL_SERVICE_NAME: text({ unset: "the service's own name", meaning: 'Name of the service in spans.' }),
  OTEL_TRACES_SAMPLER: choice({
    values: SAMPLERS,
    default: 'parentbased_always_on',
    meaning: 'Decides which traces are recorded; see below.',
  }),
  OTEL_TRACES_SAMPLER_ARG: parsed<number, { default: number }>({
    parse: ratio,
    default: 1,
    defaultText: '1',
    placeholder: 1,
    meaning: 'Share of traces that the ratio samplers record, from 0 to 1.',
  }),
};

/** Null if tracing is off: then only the endpoint is read. Issues are collected in `env`. */
export function readTracingConfig(env: EnvReader, service: string): TracingConfig | null {
  env.declare(VARIABLES);
  const endpoint = env.value(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    url({
      protocols: ['http:', 'https:'],
      unset: 'none: nothing is exported',
      meaning: 'URL of a trace collector, such as `http://collector:4318`.',
    }),
  );
  if (endpoint === null) return null;
  const values = env.read(VARIABLES);
  return {
    serviceName: values.OTEL_SERVICE_NAME ?? service,
    endpoint,
    sampler: values.OTEL_TRACES_SAMPLER,
    ratio: values.OTEL_TRACES_SAMPLER_ARG,
  };
}

function ratio(given: string): number {
  const value = Number(given);
  if (value >= 0 && value <= 1) return value;
  throw new InvalidVariableError(`must be a number from 0 to 1, not "${given}"`);
}
