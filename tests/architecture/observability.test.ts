import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { declaredMetrics } from '../support/reference-lists.ts';
import { ROOT, sourcePaths } from './source-paths.ts';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

const DASHBOARDS = 'deploy/grafana/dashboards';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const alerts = (
  parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }
).groups.flatMap(({ rules }) => rules);
const dashboards = readdirSync(join(ROOT, DASHBOARDS)).map(
  (name) => JSON.parse(read(`${DASHBOARDS}/${name}`)) as { uid: string; title: string; panels: Panel[] },
);

/** Every PromQL expression with the name of its alert or panel. */
const expressions: [string, string][] = [
  ...alerts.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...dashboards.flatMap(({ title, panels }) =>
    panels.flatMap((panel) =>
      (panel.targets ?? []).map(({ expr }): [string, string] => [`${title}: ${panel.title}`, expr]),
    ),
  ),
];

const declared = declaredMetrics();
/** Includes the metric of prom-client that the alerts or dashboards read. */
const metrics = new Map(
  [...declared, { name: 'nodejs_eventloop_lag_p99_seconds', type: 'gauge', labels: [] }].map((metric) => [
    metric.name,
    metric,
  ]),
);
/** Labels that Prometheus adds, and the label of every process. */
const COMMON_LABELS = ['job', 'instance', 'service'];

interface Use {
  metric: string;
  labels: string[];
}

/** The series that an expression reads, and the labels that it uses. */
function usesIn(expr: string): Use[] {
  return expr.split(/\b(?:and|or)\b/u).flatMap(usesInOperand);
}

function usesInOperand(expr: string): Use[] {
  const grouped = [...expr.matchAll(/\bby\s*\(([^)]*)\)/gu)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  return [...expr.matchAll(/\b((?:calls|nodejs|process)_[a-z0-9_]+|up)\b(?:\{([^}]*)\})?/gu)].map(
    ([, metric = '', selector = '']) => ({
      metric,
      labels: [...[...selector.matchAll(/(\w+)\s*[=!]/gu)].map(([, label]) => label ?? ''), ...grouped],
    }),
  );
}

/** Contradictions to the declared metrics. */
function issuesOf({ metric, labels }: Use): string[] {
  if (metric === 'up') return [];
  const ofHistogram = /^(.*)_(?:bucket|sum|count)$/u.exec(metric)?.[1];
  const known = metrics.get(metric) ?? (ofHistogram === undefined ? undefined : metrics.get(ofHistogram));
  if (!known) return [`${metric} is not declared`];
  if ((known.type === 'histogram') !== (known.name !== metric))
    return [`${metric} is no series of a ${known.type}`];
  const own = [...known.labels, ...COMMON_LABELS, ...(metric.endsWith('_bucket') ? ['le'] : [])];
  return labels.filter((label) => !own.includes(label)).map((label) => `${metric} has no label ${label}`);
}

/** The divisors of an expression that are not filtered with `> 0`. */
function unfilteredDivisors(expr: string): string[] {
  const outsideStrings = expr.replaceAll(/"[^"]*"/gu, '""');
  return [...outsideStrings.matchAll(/\/\s*(.*)$/gmu)]
    .map(([, divisor = '']) => divisor)
    .filter((divisor) => !/^\((?:[^()]|\((?:[^()]|\([^()]*\))*\))* > 0\)/u.test(divisor));
}

const anchors = [...read('docs/guides/runbooks.md').matchAll(/^## (Calls\w+)$/gmu)].map(
  ([, heading]) => heading ?? '',
);
/** The log messages that guides quote as "log line `…`". */
const quotedLogLines = readdirSync(join(ROOT, 'docs/guides')).flatMap((name) =>
  [...read(`docs/guides/${name}`).matchAll(/\blog\slines?\s`([^`]+)`/gu)].map(([, message]) => message ?? ''),
);

describe('dashboards and alert rules', () => {
  it('are found and parsed', () => {
    expect(declared.length).toBeGreaterThan(30);
    expect(alerts.length).toBeGreaterThan(20);
    expect(expressions.flatMap(([, expr]) => usesIn(expr)).length).toBeGreaterThan(80);
    expect(issuesOf({ metric: 'calls_unknown', labels: [] })).not.toEqual([]);
    expect(issuesOf({ metric: 'calls_turn_latency_ms', labels: [] })).not.toEqual([]);
    expect(issuesOf({ metric: 'calls_ended_total', labels: ['stage'] })).not.toEqual([]);
  });

  it.each(expressions)('%s reads declared metrics and their labels: %s', (_where, expr) => {
    expect(usesIn(expr).flatMap(issuesOf)).toEqual([]);
    expect(usesIn(expr)).not.toEqual([]);
  });

  it('read every declared metric at least once', () => {
    const read = new Set(expressions.flatMap(([, expr]) => usesIn(expr)).map(({ metric }) => metric));
    const isRead = ({ name, type }: { name: string; type: string }): boolean =>
      type === 'histogram'
        ? ['bucket', 'count'].some((suffix) => read.has(`${name}_${suffix}`))
        : read.has(name);
    expect(declared.filter((metric) => !isRead(metric)).map(({ name }) => name)).toEqual([]);
  });

  it('do not divide by zero in alerts', () => {
    expect(unfilteredDivisors('sum(a{b="/"}) / sum(rate(c[5m])) > 0')).toEqual(['sum(rate(c[5m])) > 0']);
    expect(alerts.filter(({ expr }) => expr.includes('/')).length).toBeGreaterThan(5);
    expect(alerts.flatMap(({ expr }) => unfilteredDivisors(expr))).toEqual([]);
  });

  it('count the first occurrence of what alerts select by a label', () => {
    const code = sourcePaths(['services', 'packages']).map(read).join('\n');
    const selected = alerts.flatMap(({ expr }) =>
      [...expr.matchAll(/increase\(calls_(\w+)\{([^}]*)\}/gu)].flatMap(([, series = '', selector = '']) => {
        const name = series.replace(/_count$/u, '');
        const declaration = code.split(`name: '${name}',`)[1]?.split('});')[0] ?? '';
        const initial = declaration.split('zero: ')[1] ?? '';
        const values = [...selector.matchAll(/=~?"([^"]+)"/gu)].flatMap(([, value = '']) => value.split('|'));
        return values.map((value) => ({ name, value, isInitial: initial.includes(`'${value}'`) }));
      }),
    );
    expect(selected.length).toBeGreaterThan(10);
    expect(selected.filter(({ isInitial }) => !isInitial)).toEqual([]);
  });

  it('link each alert to a runbook, and have an alert for each runbook', () => {
    expect(alerts.map(({ annotations }) => annotations.runbook)).toEqual(
      alerts.map(({ alert }) => `docs/guides/runbooks.md#${alert.toLowerCase()}`),
    );
    expect([...anchors].sort()).toEqual(alerts.map(({ alert }) => alert).sort());
    for (const { labels } of alerts) expect(['critical', 'warning', 'info']).toContain(labels.severity);
  });

  it('have runbooks and guides that quote existing log messages', () => {
    const code = sourcePaths().map(read).join('\n');
    expect(quotedLogLines.length).toBeGreaterThan(2);
    expect(quotedLogLines.filter((message) => !code.includes(`'${message}'`))).toEqual([]);
  });
});
