export { replayTrace, type ReplayedStep } from './replay-trace.ts';
export { timelineOf } from './timeline.ts';
export { parseTrace, TraceError, type Trace, type TraceStep } from './trace.ts';
