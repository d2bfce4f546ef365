import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_TOOLS, settingSchemaOf } from '@calls/call-lifecycle/creation/tools/built-in-tools';
import { PlanLimits } from '@calls/api-contract/rest/plan-limits';
import { readControlPlaneConfig, readPrepareDatabaseConfig } from '@calls/control-plane/config';
import { readDispatcherConfig } from '@calls/dispatcher/config';
import { EnvReader } from '@calls/foundation/env-reader';
import type { Variable } from '@calls/foundation/variable';
import { readLauncherConfig } from '@calls/local-stack/launcher-config';
import { readMediaWorkerConfig } from '@calls/media-worker/config';
import { readEmbeddingConfig } from '@calls/providers/embeddings/embedding-config';
import { readRerankConfig } from '@calls/providers/rerank/rerank-config';
import { readEngines } from '@calls/providers/config/provider-config';
import { PLAN_LIMITS } from '@calls/redis/rate-limits/plan-limits';
import { ROOT, sourcePaths } from '../architecture/source-paths.ts';

const FOLDER = 'docs/reference/generated';

/**
 * Keyed by the letter of the process that reads the variables. The list shows the default and the bounds of the first
 * one.
 */
const READERS: Readonly<Record<string, (env: EnvReader) => unknown>> = {
  C: readControlPlaneConfig,
  M: readMediaWorkerConfig,
  D: readDispatcherConfig,
  P: readPrepareDatabaseConfig,
  L: readLauncherConfig,
};
const LETTERS = ['L', 'C', 'M', 'D', 'P'];

interface DeclaredVariable {
  readonly name: string;
  readonly variable: Variable<unknown>;
  readonly readBy: readonly string[];
}

export interface DeclaredMetric {
  readonly name: string;
  readonly type: string;
  readonly process: string;
  readonly labels: readonly string[];
  readonly help: string;
}

function declaredBy(read: (env: EnvReader) => unknown): ReadonlyMap<string, Variable<unknown>> {
  const env = new EnvReader({});
  read(env);
  return env.declared;
}

/** All variables that processes declare, in the order of declaration. */
export function declaredVariables(): DeclaredVariable[] {
  const all = new Map<string, DeclaredVariable>();
  for (const [letter, read] of Object.entries(READERS)) {
    for (const [name, variable] of declaredBy(read)) {
      const known = all.get(name) ?? { name, variable, readBy: [] };
      if (known.variable.meaning !== variable.meaning)
        throw new Error(`${name} is declared with two meanings`);
      all.set(name, { ...known, readBy: [...known.readBy, letter] });
    }
  }
  return [...all.values()];
}

/** The metrics that services and packages declare, and which process exports them: a service, or `every process`. */
export function declaredMetrics(): DeclaredMetric[] {
  return sourcePaths(['services/control-plane', 'services/media-worker', 'services/dispatcher', 'packages'])
    .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('packages/testkit/'))
    .flatMap((path) => metricsIn(path, readFileSync(join(ROOT, path), 'utf8')));
}

const METRIC =
  /(?:\.|new )(?<type>counter|gauge|histogram)(?:<[^>]*>)?\(\{\s*(?:\.\.\.common\(\{\s*)?name: '(?<name>\w+)',\s*help:\s*(?:'(?<help>[^']*)'|"(?<text>[^"]*)")(?:,\s*labels: \[(?<labels>[^\]]*)\])?/giu;

/** Finds metrics in the source text, because they are created where they are used. */
function metricsIn(path: string, source: string): DeclaredMetric[] {
  const [, process = 'every process'] = /^services\/([^/]+)/u.exec(path) ?? [];
  return [...source.matchAll(METRIC)].map(({ groups: { type, name, help, text, labels } = {} }) => ({
    name: `calls_${name}`,
    type: type?.toLowerCase() ?? '',
    process,
    labels: [...(labels ?? '').matchAll(/'(\w+)'/gu)].map(([, label = '']) => label),
    help: help ?? text ?? '',
  }));
}

/** The generated reference lists, with current and expected content. */
export function listFiles(): { path: string; current: string; generated: string }[] {
  const engines = [readEngines, readEmbeddingConfig, readRerankConfig].flatMap((read) => [
    ...declaredBy(read).keys(),
  ]);
  const generators: [string, (current: string) => string][] = [
    [`${FOLDER}/variables.json`, () => jsonOf(declaredVariables().map(variableRow))],
    [`${FOLDER}/metrics.json`, () => jsonOf(declaredMetrics().map(metricRow))],
    [`${FOLDER}/parameters.json`, () => jsonOf(parameterRows())],
    [`${FOLDER}/plans.json`, () => jsonOf(planRows())],
    [
      'docker-compose.yml',
      (text) =>
        withLines(
          text,
          engines.map((name) => `  ${name}: \${${name}:-}`),
        ),
    ],
    [
      '.env.example',
      (text) =>
        withLines(
          text,
          engines.map((name) => `${name}=`),
        ),
    ],
  ];
  return generators.map(([path, generate]) => {
    const current = readFileSync(join(ROOT, path), 'utf8');
    return { path, current, generated: generate(current) };
  });
}

/** One row per line. The documentation site shows the rows as tables: keys are columns, values are Markdown. */
function jsonOf(rows: readonly Record<string, string>[]): string {
  return `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]\n`;
}

function variableRow({ name, variable, readBy }: DeclaredVariable): Record<string, string> {
  return {
    variable: name,
    'read by': LETTERS.filter((letter) => readBy.includes(letter)).join(' '),
    default: variable.defaultText,
    bounds: variable.bounds,
    meaning: variable.meaning,
  };
}

function metricRow({ name, type, process, labels, help }: DeclaredMetric): Record<string, string> {
  return {
    metric: name,
    type,
    process,
    labels: labels.map((label) => `\`${label}\``).join(', '),
    meaning: help,
  };
}

/** Parameters of the built-in tools. */
function parameterRows(): Record<string, string>[] {
  return BUILT_IN_TOOLS.flatMap(({ name: tool, definition }) => [
    ...(definition.dynamicParameters ?? []).map(({ name, schema }) =>
      parameterRow(`${tool}.${name}`, schema),
    ),
    ...(definition.staticParameters ?? []).map(({ name, value }) =>
      parameterRow(`${tool}.${name}`, settingSchemaOf(name, value), value),
    ),
  ]);
}

interface ParameterSchema {
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  enum?: readonly string[];
}

function parameterRow(parameter: string, schema: unknown, setting?: unknown): Record<string, string> {
  const { description = '', default: modelDefault, ...bounds } = schema as ParameterSchema;
  const preset = setting ?? modelDefault ?? '';
  return {
    parameter,
    'set by': setting === undefined ? 'model' : 'override',
    default: preset === '' ? '' : `\`${JSON.stringify(preset)}\``,
    bounds: boundsOf(bounds),
    meaning: description,
  };
}

function boundsOf({ minimum, maximum, maxLength, maxItems, enum: values }: ParameterSchema): string {
  if (minimum !== undefined) return `${minimum} to ${maximum}`;
  if (maxLength !== undefined) return `at most ${maxLength} characters`;
  if (maxItems !== undefined) return `at most ${maxItems}`;
  return (values ?? []).map((value) => `\`${value}\``).join(', ');
}

/** The limits of the plans. */
function planRows(): Record<string, string>[] {
  const names = Object.keys(PlanLimits.properties) as (keyof PlanLimits)[];
  return names.map((name) => ({
    limit: name,
    ...Object.fromEntries(Object.entries(PLAN_LIMITS).map(([plan, limits]) => [plan, String(limits[name])])),
  }));
}

/** Replaces the lines between two markers. */
function withLines(text: string, inside: readonly string[]): string {
  const lines = text.split('\n');
  const [first, end] = ['begin', 'end'].map((which) =>
    lines.findIndex((line) => line.trim() === `# ${which} engines (npm run generate)`),
  );
  if (first === undefined || end === undefined || first < 0 || end < first)
    throw new Error('the markers are missing');
  return lines.toSpliced(first + 1, end - first - 1, ...inside).join('\n');
}

if (import.meta.main)
  for (const { path, generated } of listFiles()) writeFileSync(join(ROOT, path), generated);
