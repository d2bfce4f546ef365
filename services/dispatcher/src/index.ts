export type { DispatcherConfig } from './config.ts';
export { loadSource, type LoadParts } from './corpora/load-source.ts';
export { createDispatcherWork, type DispatcherWork } from './untrusted-work/dispatcher-work.ts';
export { createDispatcher, type Dispatcher } from './dispatcher.ts';
