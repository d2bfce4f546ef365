export type { DispatcherConfig } from './config.ts';
export { createDispatcher, type Dispatcher } from './dispatcher.ts';
