export { createSileroEngine, type SileroOptions } from './silero-engine.ts';
