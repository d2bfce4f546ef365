import type { Schemas } from '../../../api/client.ts';
import { templateChanges, type TemplateChange } from '../../agents/versions/template-changes.ts';
import { eventMs } from './transcript/transcript-entries.ts';

type Stage = Schemas['CallStage'];
type CallEvent = Schemas['CallEvent'];

export interface StageEntry {
  readonly stage: Stage;
  /** Call time; null if unknown. */
  readonly beganMs: number | null;
  /** The tool that began it; null for the first stage, and if unknown. */
  readonly toolName: string | null;
  /** Differences to the stage before; none for the first. */
  readonly changes: readonly TemplateChange[];
}

export function isStageBegin({ type }: CallEvent): boolean {
  return type === 'stage_began';
}

/** The stages of a call in order, with when and why each began. */
export function stageEntries(stages: readonly Stage[], events: readonly CallEvent[]): StageEntry[] {
  const begins = new Map(events.filter(isStageBegin).map((event) => [event.callStageId, event]));
  return stages.map((stage, index) => {
    const before = stages[index - 1];
    if (!before) return { stage, beganMs: 0, toolName: null, changes: [] };
    const begin = begins.get(stage.callStageId);
    const toolName = begin?.extras?.['toolName'];
    return {
      stage,
      beganMs: begin ? eventMs(begin) : null,
      toolName: typeof toolName === 'string' ? toolName : null,
      changes: templateChanges(settingsOf(before), settingsOf(stage)),
    };
  });
}

const FIGURES: ReadonlySet<string> = new Set<keyof Stage>([
  'callId',
  'callStageId',
  'created',
  'initialTokenCount',
  'latestTokenCount',
  'errorCount',
]);

function settingsOf(stage: Stage): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(stage).filter(([name]) => !FIGURES.has(name)));
}
