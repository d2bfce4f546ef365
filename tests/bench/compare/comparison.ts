import { markdownTable } from '../../support/markdown-table.ts';
import type { MachineUse } from '../machine-use.ts';

/** The part of a run's JSON report that `compare` reads. */
export interface ComparedRun {
  machineUse: MachineUse;
  figures: Readonly<Record<string, number>>;
}

/** One run of each checkout, one right after the other. */
export interface RunPair {
  before: ComparedRun;
  after: ComparedRun;
}

/** A figure over all pairs. */
export interface ComparedFigure {
  figure: string;
  before: number;
  after: number;
  /** Ratio of after to before within a pair. */
  ratio: { median: number; min: number; max: number };
}

export interface Comparison {
  figures: ComparedFigure[];
  reliablePairs: number;
  pairs: readonly RunPair[];
}

/** Medians and ratios over the reliable pairs, or over all of them if none is reliable. */
export function comparisonOf(pairs: readonly RunPair[]): Comparison {
  const reliable = pairs.filter(
    ({ before, after }) => before.machineUse.isReliable && after.machineUse.isReliable,
  );
  const used = reliable.length > 0 ? reliable : pairs;
  const names = Object.keys(used[0]?.before.figures ?? {});
  const figures = names.flatMap((figure): ComparedFigure[] => {
    const values = used.flatMap(({ before, after }) => {
      const [was, is] = [before.figures[figure], after.figures[figure]];
      // Figures without a value are null in JSON.
      return typeof was === 'number' && typeof is === 'number' ? [{ was, is }] : [];
    });
    if (values.length === 0) return [];
    const ratios = values.map(({ was, is }) => (was === is ? 1 : is / was));
    return [
      {
        figure,
        before: median(values.map(({ was }) => was)),
        after: median(values.map(({ is }) => is)),
        ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
      },
    ];
  });
  return { figures, reliablePairs: reliable.length, pairs };
}

export function comparisonTable({ figures, reliablePairs, pairs }: Comparison): string {
  const digits = (value: number): string => String(Math.round(value * 1000) / 1000);
  const rows = figures.map(({ figure, before, after, ratio }) => [
    ...[figure, digits(before), digits(after), ratio.median.toFixed(2)],
    `${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}`,
  ]);
  const verdict =
    reliablePairs > 0
      ? `medians of ${reliablePairs} reliable pairs of ${pairs.length}`
      : `UNRELIABLE: medians of ${pairs.length} pairs, none of which is reliable`;
  return `${markdownTable(['figure', 'before', 'after', 'ratio', 'spread'], rows)}\n\n${verdict}`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = NaN, high = NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
}
