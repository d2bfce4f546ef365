import type { EngineRecord } from '@calls/api-contract/bus/engine-record';
import { ENGINE_ROLES, type Engine, type Engines } from '@calls/api-contract/rest/engine';

/** The engines of all media-workers together. `workers`: the records of each worker; undefined if it reports none. */
export function enginesView(workers: readonly (readonly EngineRecord[] | undefined)[]): Engines {
  const reporting = workers.filter((records) => records !== undefined);
  const byEngine = new Map<string, EngineRecord[]>();
  for (const record of reporting.flat()) {
    const { role, name, kind, model, use } = record;
    const key = JSON.stringify([role, name, kind, model, use]);
    byEngine.set(key, [...(byEngine.get(key) ?? []), record]);
  }
  const engines = [...byEngine.values()].flatMap(engineView);
  return {
    mediaWorkers: reporting.length,
    engines: ENGINE_ROLES.flatMap((each) => engines.filter(({ role }) => role === each)),
  };
}

/** One engine, from its records of several workers. */
function engineView(records: readonly EngineRecord[]): Engine[] {
  const [first] = records;
  if (!first) return [];
  const { role, name, kind, model, use } = first;
  const recentMs = records.flatMap((record) => record.recentMs).sort((a, b) => a - b);
  const successes = records.flatMap(({ succeededAtMs }) => succeededAtMs ?? []);
  const failures = records.flatMap(({ failure }) => failure ?? []).sort((a, b) => b.atMs - a.atMs);
  const isUsed = successes.length + failures.length > 0;
  return [
    {
      ...{ role, name, kind, model, use },
      health: records.some(isFailing) ? 'failing' : isUsed ? 'ok' : 'unknown',
      ...(recentMs.length > 0 && {
        latencyMs: { p50: quantile(recentMs, 0.5), p95: quantile(recentMs, 0.95), count: recentMs.length },
      }),
      lastSuccess: successes.length === 0 ? null : new Date(Math.max(...successes)).toISOString(),
      lastFailure: failures[0] ? new Date(failures[0].atMs).toISOString() : null,
      lastFailureCode: failures[0]?.code ?? null,
    },
  ];
}

/** Whether the last request of this worker failed. */
function isFailing({ succeededAtMs, failure }: EngineRecord): boolean {
  return failure !== null && failure.atMs >= (succeededAtMs ?? 0);
}

/** The nearest-rank quantile of sorted values. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
