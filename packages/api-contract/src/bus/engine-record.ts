import { Type, type Static } from 'typebox';
import { engineDescription } from '../rest/engine.ts';

/** An engine of one media-worker, and its newest requests. Times are wall-clock milliseconds. */
export const EngineRecord = Type.Object({
  ...engineDescription,
  /** Latencies of the newest requests that succeeded. */
  recentMs: Type.Array(Type.Integer({ minimum: 0 })),
  succeededAtMs: Type.Union([Type.Integer(), Type.Null()]),
  failure: Type.Union([
    Type.Object({ atMs: Type.Integer(), code: Type.String({ maxLength: 32 }) }),
    Type.Null(),
  ]),
});
export type EngineRecord = Static<typeof EngineRecord>;
