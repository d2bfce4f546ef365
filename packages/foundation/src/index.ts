export * from './bounded-queue.ts';
export * from './clock.ts';
export * from './env-reader.ts';
export * from './errors.ts';
export * from './ids.ts';
export * from './lifecycle.ts';
export * from './logger.ts';
export * from './timeout.ts';
