import type { Schemas } from '../../api/client.ts';
import { writeCsv } from '../../components/csv.ts';

type ScheduledCall = Schemas['ScheduledCall'];
type Call = Schemas['Call'];

/** The calls of a batch with their results as CSV, in the order of the batch. */
export function resultsCsv(scheduled: readonly ScheduledCall[], calls: readonly Call[]): string {
  const byId = new Map(calls.map((call) => [call.callId, call]));
  const records = scheduled.map((entry): Record<string, string> => {
    const call = entry.callId === null ? undefined : byId.get(entry.callId);
    return {
      status: entry.status,
      error: entry.error ?? '',
      to: calledNumber(entry) ?? '',
      ...flat('context', entry.templateContext),
      ...flat('metadata', entry.metadata),
      callId: entry.callId ?? '',
      joined: call?.joined ?? '',
      ended: call?.ended ?? '',
      endReason: call?.endReason ?? '',
      billedDuration: call?.billedDuration ?? '',
      shortSummary: call?.shortSummary ?? '',
    };
  });
  const columns = [...new Set(records.flatMap(Object.keys))];
  return writeCsv({ columns, rows: records.map((record) => columns.map((column) => record[column] ?? '')) });
}

/** The number or address that the service calls. */
export function calledNumber({ medium }: Pick<ScheduledCall, 'medium'>): string | undefined {
  for (const given of Object.values(medium ?? {})) {
    if ('outgoing' in given && given.outgoing) return given.outgoing.to;
  }
  return undefined;
}

/** `{ 'context.guest.name': 'Bo' }`. */
export function flat(prefix: string, value: unknown): Record<string, string> {
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { [prefix]: typeof value === 'string' ? value : JSON.stringify(value) };
  }
  const entries = Object.entries(value).flatMap(([name, inner]) =>
    Object.entries(flat(`${prefix}.${name}`, inner)),
  );
  return Object.fromEntries(entries);
}
