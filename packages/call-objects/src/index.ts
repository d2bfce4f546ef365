export { finishObject, type FinishParts } from './finish-object.ts';
export { recordingOf, storeRecording } from './recording-file.ts';
export { StoredTraces } from './stored-traces.ts';
export { WavRecordings } from './wav-recordings.ts';
