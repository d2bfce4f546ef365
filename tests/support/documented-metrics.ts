import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DocumentedMetric {
  name: string;
  type: string;
  labels: string[];
  /** The heading that it stands under. */
  process: string;
}

const PAGE = join(import.meta.dirname, '../../docs/reference/metrics.md');
const ROW = /^\|\s*`([a-z0-9_]+)`\s*\|\s*(\w+)\s*\|([^|]*)\|/u;

/** The metrics of docs/reference/metrics.md by their name. */
export function documentedMetrics(): Map<string, DocumentedMetric> {
  const found = new Map<string, DocumentedMetric>();
  let process = '';
  for (const line of readFileSync(PAGE, 'utf8').split('\n')) {
    if (line.startsWith('## ')) process = line.slice(3);
    const [, name, type, labels] = ROW.exec(line) ?? [];
    if (name === undefined || type === undefined || labels === undefined) continue;
    found.set(name, {
      name,
      type,
      labels: [...labels.matchAll(/`(\w+)`/gu)].map(([, label]) => label ?? ''),
      process,
    });
  }
  return found;
}
